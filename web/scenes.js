// Drawings of the domains. Each takes the scene (model/scene.h), a moment of an episode and what led to it,
// and gives an SVG. `truth` says whether what the agent cannot see is drawn too.

const fieldsOf = (scene, values) => Object.fromEntries(scene.fields.map((f, i) => [f, values[i]]));
const cloudOf = (scene, moment) => {
  const n = scene.cloud_fields, rows = [];
  for (let i = 0; i + n <= (moment.cloud || []).length; i += n) rows.push(moment.cloud.slice(i, i + n));
  return rows;
};
const pairs = list => list.reduce((out, v, i) => (i % 2 ? out[out.length - 1].push(v) : out.push([v]), out), []);

const scenes = {
  'rock-sample': (scene, episode, t, truth) => {
    const n = scene.setting.n[0], rocks = pairs(scene.setting.rocks), size = 100, now = episode.moments[t];
    const at = fieldsOf(scene, now.state), gone = at.x < 1, last = t > 0 ? episode.steps[t - 1] : null;
    const cx = x => (x - 0.5) * size, cy = y => (n - y + 0.5) * size;
    const track = episode.moments.slice(0, t + 1).map(m => fieldsOf(scene, m.state)).filter(s => s.x >= 1);
    const from = track[track.length - 1];
    const checked = last && /^check(\d+)$/.exec(last.action), target = checked && rocks[checked[1] - 1];
    const good = last && last.seen === 'good';
    const robot = gone ? [(n + 0.5) * size, cy(from.y)] : [cx(at.x), cy(at.y)];
    return svg('svg', { viewBox: `-6 -6 ${(n + 1) * size + 12} ${n * size + 12}`, role: 'img',
      'aria-label': `Grid of ${n} by ${n} cells. ${gone ? 'The robot has left.' : `Robot at (${at.x}, ${at.y}).`} `
        + rocks.map((_, r) => `Rock ${r + 1} good with ${percent(now.means[2 + r])}`).join(', ') }, [
      svg('rect', { class: 'floor', x: 0, y: 0, width: n * size, height: n * size }),
      svg('rect', { class: 'exit', x: n * size, y: 0, width: size, height: n * size }),
      svg('text', { class: 'exit-name', x: (n + 0.5) * size, y: 60, text: 'exit' }),
      Array.from({ length: n + 1 }, (_, i) => [
        svg('line', { class: 'grid', x1: i * size, x2: i * size, y1: 0, y2: n * size }),
        svg('line', { class: 'grid', x1: 0, x2: n * size, y1: i * size, y2: i * size })]),
      svg('polyline', { class: 'track', points: track.map(s => `${cx(s.x)},${cy(s.y)}`).join(' ') + (gone ? ` ${robot}` : '') }),
      target && svg('line', { class: good ? 'look good' : 'look bad', x1: robot[0], y1: robot[1], x2: cx(target[0]), y2: cy(target[1]) }),
      rocks.map(([x, y], r) => {
        const p = clamp(now.means[2 + r], 0, 1), level = 30 - 60 * p;
        const id = `rock${r}-${scenes.count = (scenes.count || 0) + 1}`;
        return svg('g', { transform: `translate(${cx(x)} ${cy(y)})` }, [
          svg('clipPath', { id }, svg('circle', { r: 30 })),
          svg('circle', { class: 'rock', r: 30 }),
          svg('rect', { class: 'belief', x: -30, y: level, width: 60, height: 30 - level, 'clip-path': `url(#${id})` }),
          svg('circle', { class: truth ? (now.state[2 + r] ? 'ring good' : 'ring bad') : 'ring', r: 30 }),
          svg('text', { class: 'rock-name', y: 5, text: percent(p).replace(' ', '') }),
          svg('text', { class: 'rock-number', x: -38, y: -28, text: r + 1 })]);
      }),
      svg('g', { class: 'robot', transform: `translate(${robot})` }, [
        svg('rect', { x: -26, y: 22, width: 52, height: 20, rx: 9 }),
        svg('circle', { cx: -12, cy: 32, r: 4.5, class: 'eye' }), svg('circle', { cx: 12, cy: 32, r: 4.5, class: 'eye' })]),
    ]);
  },

  'light-dark': (scene, episode, t, truth) => {
    const s = scene.setting, now = episode.moments[t], at = fieldsOf(scene, now.state), last = t > 0 ? episode.steps[t - 1] : null;
    const everything = episode.moments.flatMap(m => [m.state[0], ...cloudOf(scene, m).map(p => p[0])]).sort((a, b) => a - b);
    const low = Math.floor(Math.min(-4, everything[Math.floor(everything.length * 0.01)])) - 1;
    const high = Math.ceil(Math.max(s.light[0] + 4, everything[Math.floor(everything.length * 0.99)])) + 1;
    const width = 900, height = 330, base = 250, x = y => (y - low) / (high - low) * width;
    const id = 'light' + (scenes.count = (scenes.count || 0) + 1);
    const ys = cloudOf(scene, now).map(p => p[0]);
    const mean = sum(ys) / ys.length, deviation = Math.sqrt(sum(ys.map(y => (y - mean) ** 2)) / ys.length);
    const inside = ys.filter(y => y > s.goal[0] && y < s.goal[1]).length / ys.length;
    const bend = Math.max(0.9 * deviation * ys.length ** -0.2, 0.06), grid = 220;
    const density = Array.from({ length: grid + 1 }, (_, i) => {
      const at = low + (high - low) * i / grid;
      return [at, sum(ys.map(y => Math.exp(-0.5 * ((at - y) / bend) ** 2))) / (ys.length * bend * 2.5066)];
    });
    const top = Math.max(0.25, ...density.map(d => d[1]));
    const outline = density.map(([at, d]) => `${x(at).toFixed(1)},${(base - d / top * 190).toFixed(1)}`).join(' ');
    const ticks = niceTicks(low, high, 12).filter(v => Number.isInteger(v) && v > low && v < high);
    return svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
      'aria-label': `A line with the light at ${s.light[0]}. Belief: mean ${number(mean)}, deviation ${number(deviation)}; inside the goal with ${percent(inside)}.` }, [
      svg('defs', {}, svg('radialGradient', { id }, [svg('stop', { offset: 0, class: 'glow' }), svg('stop', { offset: 1, class: 'glow-end' })])),
      svg('rect', { class: 'dark-room', width, height, rx: 10 }),
      svg('ellipse', { cx: x(s.light[0]), cy: base - 60, rx: width / (high - low) * 5, ry: 260, fill: `url(#${id})` }),
      svg('line', { class: 'lamp', x1: x(s.light[0]), x2: x(s.light[0]), y1: 12, y2: base }),
      svg('text', { class: 'label', x: x(s.light[0]) + 8, y: 26, text: 'light' }),
      svg('rect', { class: 'goal-band', x: x(s.goal[0]), width: x(s.goal[1]) - x(s.goal[0]), y: 30, height: base - 30 }),
      svg('text', { class: 'label', x: x(0), y: 48, 'text-anchor': 'middle', text: 'goal' }),
      svg('polygon', { class: 'density', points: `${x(low)},${base} ${outline} ${x(high)},${base}` }),
      svg('line', { class: 'ground', x1: 0, x2: width, y1: base, y2: base }),
      ticks.map(v => [svg('line', { class: 'ground', x1: x(v), x2: x(v), y1: base, y2: base + 5 }),
        svg('text', { class: 'label', x: x(v), y: base + 22, 'text-anchor': 'middle', text: short(v) })]),
      last && isNumber(last.reading) && !at.stopped && svg('g', { transform: `translate(${x(last.reading)} ${base + 28})` }, [
        svg('path', { class: 'reading', d: 'M0 0l7 12h-14z' }), svg('text', { class: 'label', x: 10, y: 13, text: 'heard' })]),
      truth && svg('g', { transform: `translate(${x(at.y)} ${base - 14})` }, [svg('circle', { class: at.stopped ? 'robot-dot stopped' : 'robot-dot', r: 12 }),
        svg('text', { class: 'label', y: -18, 'text-anchor': 'middle', text: at.stopped ? 'stopped' : 'robot' })]),
      svg('text', { class: 'label', x: 12, y: height - 14, text: `belief: ${number(mean)} ± ${number(deviation)}, in the goal ${percent(inside)}` }),
    ]);
  },

  'lidar-roomba': (scene, episode, t, truth) => {
    const s = scene.setting, now = episode.moments[t], at = fieldsOf(scene, now.state), last = t > 0 ? episode.steps[t - 1] : null;
    const walls = list => pairs(pairs(list)).map(([[x1, y1], [x2, y2]]) => ({ x1, y1: -y1, x2, y2: -y2 }));
    const r = s.radius[0], dx = Math.cos(at.heading), dy = -Math.sin(at.heading), x = at.x, y = -at.y;
    const cloud = cloudOf(scene, now).map(p => fieldsOf(scene, p));
    const spread = Math.sqrt(sum(cloud.map(p => (p.x - now.means[0]) ** 2 + (p.y - now.means[1]) ** 2)) / cloud.length);
    return svg('svg', { viewBox: '-27 -7 44 29', role: 'img', class: 'room',
      'aria-label': `An L-shaped room. Robot at (${number(at.x, 1)}, ${number(at.y, 1)}), heading ${number(at.heading * 57.2958, 0)} degrees. `
        + `Belief around (${number(now.means[0], 1)}, ${number(now.means[1], 1)}), spread ${number(spread, 1)}.` }, [
      svg('polygon', { class: 'floor', points: '-25,-5 15,-5 15,5 -15,5 -15,20 -25,20' }),
      walls(s.walls).map(w => svg('line', { class: 'wall', ...w })),
      walls(s.goal).map(w => [svg('line', { class: 'goal', ...w }), svg('text', { class: 'room-name', x: Math.min((w.x1 + w.x2) / 2 + 0.4, 14.4), y: (w.y1 + w.y2) / 2 - (w.y1 === w.y2 ? -1.4 : 5.4), text: 'goal' })]),
      walls(s.stairs).map(w => [svg('line', { class: 'stairs', ...w }), svg('text', { class: 'room-name', x: (w.x1 + w.x2) / 2, y: Math.min(w.y1, w.y2) - 0.6, text: 'stairs' })]),
      cloud.map(p => svg('line', { class: 'particle', x1: p.x, y1: -p.y, x2: p.x + 0.9 * Math.cos(p.heading), y2: -p.y - 0.9 * Math.sin(p.heading) })),
      cloud.map(p => svg('circle', { class: 'particle-dot', cx: p.x, cy: -p.y, r: 0.2 })),
      truth && [
        svg('polyline', { class: 'track', points: episode.moments.slice(0, t + 1).map(m => `${m.state[0]},${-m.state[1]}`).join(' ') }),
        svg('line', { class: 'ray', x1: x, y1: y, x2: x + at.ray * dx, y2: y + at.ray * dy }),
        last && isNumber(last.reading) && svg('circle', { class: 'measured', cx: x + last.reading * dx, cy: y + last.reading * dy, r: 0.35 }),
        svg('circle', { class: 'robot-disc', cx: x, cy: y, r: Math.max(r, 0.6) }),
        svg('line', { class: 'nose', x1: x, y1: y, x2: x + 1.1 * dx, y2: y + 1.1 * dy })],
    ]);
  },

  'laser-tag': (scene, episode, t, truth) => {
    const [width, height] = scene.setting.size, now = episode.moments[t], at = now.state;
    const cy = y => height + 1 - y, cloud = cloudOf(scene, now);
    const spots = (i, kind, shift) => cloud.map(p => svg('circle', { class: kind, cx: p[i] + shift, cy: cy(p[i + 1]) + shift, r: 0.16 }));
    return svg('svg', { viewBox: `0.4 0.4 ${width + 0.2} ${height + 0.2}`, role: 'img', class: 'room',
      'aria-label': `A room of ${width} by ${height} cells. Robot at (${at[0]}, ${at[1]}), opponent at (${at[2]}, ${at[3]})${at[4] ? ', tagged' : ''}. `
        + `Belief: robot around (${number(now.means[0], 1)}, ${number(now.means[1], 1)}), opponent around (${number(now.means[2], 1)}, ${number(now.means[3], 1)}).` }, [
      svg('rect', { class: 'floor', x: 0.5, y: 0.5, width, height }),
      pairs(scene.setting.obstacles).map(([x, y]) => svg('rect', { class: 'block', x: x - 0.5, y: cy(y) - 0.5, width: 1, height: 1 })),
      spots(0, 'particle-dot own', -0.15), spots(2, 'particle-dot', 0.15),
      truth && [
        svg('polyline', { class: 'track', points: episode.moments.slice(0, t + 1).map(m => `${m.state[0]},${cy(m.state[1])}`).join(' ') }),
        svg('circle', { class: 'robot-disc', cx: at[0], cy: cy(at[1]), r: 0.32 }),
        svg('circle', { class: 'prey', cx: at[2], cy: cy(at[3]), r: 0.24 })],
    ]);
  },

  'sub-hunt': (scene, episode, t, truth) => {
    const n = scene.setting.size[0], [kill, hear] = scene.setting.radius, now = episode.moments[t], at = now.state;
    const cy = y => n + 1 - y, goal = ['north', 'east', 'south', 'west'][at[4]];
    return svg('svg', { viewBox: `0.3 0.3 ${n + 0.4} ${n + 0.4}`, role: 'img', class: 'room',
      'aria-label': `A sea of ${n} by ${n} cells. Own boat at (${at[0]}, ${at[1]}), target at (${at[2]}, ${at[3]}) on its way ${goal}${at[6] ? ', hit' : at[5] ? ', warned' : ''}. `
        + `Belief: target around (${number(now.means[2], 1)}, ${number(now.means[3], 1)}).` }, [
      svg('rect', { class: 'floor', x: 0.5, y: 0.5, width: n, height: n }),
      [hear, kill].map(r => svg('circle', { class: 'reach', cx: at[0], cy: cy(at[1]), r })),
      cloudOf(scene, now).map(p => svg('circle', { class: 'particle-dot', cx: p[2], cy: cy(p[3]), r: 0.3 })),
      svg('polyline', { class: 'track', points: episode.moments.slice(0, t + 1).map(m => `${m.state[0]},${cy(m.state[1])}`).join(' ') }),
      svg('circle', { class: 'robot-disc', cx: at[0], cy: cy(at[1]), r: 0.5 }),
      truth && svg('path', { class: 'prey', d: 'M0 -0.6L0.45 0.5H-0.45Z', transform: `translate(${at[2]} ${cy(at[3])}) rotate(${90 * at[4]})` }),
    ]);
  },

  'pocman': (scene, episode, t, truth) => {
    const [width, height] = scene.setting.size, ghosts = scene.setting.ghosts[0], now = episode.moments[t], at = now.state;
    const cy = y => height - 1 - y, first = 4 + 2 * ghosts, power = at[2 + 2 * ghosts];
    const each = Array.from({ length: ghosts }, (_, g) => 2 + 2 * g);
    return svg('svg', { viewBox: `-0.6 -0.6 ${width + 0.2} ${height + 0.2}`, role: 'img', class: 'room',
      'aria-label': `A maze of ${width} by ${height} cells. PocMan at (${at[0]}, ${at[1]}), ${power ? `power for ${power} steps` : 'no power'}, `
        + `${sum(at.slice(first))} pieces of food; ghosts at ${each.map(i => `(${at[i]}, ${at[i + 1]})`).join(', ')}.` }, [
      svg('rect', { class: 'block', x: -0.5, y: -0.5, width, height }),
      pairs(scene.setting.cells).map(([x, y]) => svg('rect', { class: 'aisle', x: x - 0.5, y: cy(y) - 0.5, width: 1, height: 1 })),
      pairs(scene.setting.food).map(([x, y], f) => {
        const p = clamp(now.means[first + f], 0, 1), r = scene.setting.pills[f] ? 0.3 : 0.16;
        return [svg('circle', { class: 'food', cx: x, cy: cy(y), r, opacity: p }),
          truth && at[first + f] ? svg('circle', { class: 'food-ring', cx: x, cy: cy(y), r: r + 0.06 }) : null];
      }),
      cloudOf(scene, now).map(p => each.map(i => svg('circle', { class: 'particle-dot', cx: p[i], cy: cy(p[i + 1]), r: 0.18 }))),
      svg('circle', { class: 'robot-disc', cx: at[0], cy: cy(at[1]), r: 0.4 }),
      truth && each.map(i => svg('circle', { class: power ? 'prey weak' : 'prey', cx: at[i], cy: cy(at[i + 1]), r: 0.3 })),
    ]);
  },

  'vdp-tag': (scene, episode, t, truth) => {
    const s = scene.setting, now = episode.moments[t], at = fieldsOf(scene, now.state), cloud = cloudOf(scene, now), half = s.half[0] + 0.5;
    const [mx, my] = now.means, spread = Math.sqrt(sum(cloud.map(([x, y]) => (x - mx) ** 2 + (y - my) ** 2)) / cloud.length);
    const track = (x, y) => episode.moments.slice(0, t + 1).map(m => fieldsOf(scene, m.state)).map(p => `${p[x]},${-p[y]}`).join(' ');
    return svg('svg', { viewBox: `${-half} ${-half} ${2 * half} ${2 * half}`, role: 'img', class: 'plane',
      'aria-label': `A plane. Agent at (${number(at.agent_x, 1)}, ${number(at.agent_y, 1)}). Target believed around (${number(mx, 1)}, ${number(my, 1)}), spread ${number(spread, 1)}.` }, [
      svg('rect', { class: 'floor', x: -half, y: -half, width: 2 * half, height: 2 * half }),
      pairs(pairs(s.walls)).map(([[x1, y1], [x2, y2]]) => svg('line', { class: 'wall', x1, y1: -y1, x2, y2: -y2 })),
      cloud.map(([x, y]) => svg('circle', { class: 'particle-dot', cx: x, cy: -y, r: 0.05 })),
      svg('polyline', { class: 'track', points: track('agent_x', 'agent_y') }),
      svg('circle', { class: 'robot-disc', cx: at.agent_x, cy: -at.agent_y, r: 0.1 }),
      truth && [svg('polyline', { class: 'track other', points: track('target_x', 'target_y') }),
        svg('circle', { class: 'target', cx: at.target_x, cy: -at.target_y, r: s.radius[0] })],
    ]);
  },

  'lunar-lander': (scene, episode, t, truth) => {
    const s = scene.setting, now = episode.moments[t], at = fieldsOf(scene, now.state), cloud = cloudOf(scene, now);
    const top = Math.max(54, ...episode.moments.map(m => m.state[1] + 3)), wide = s.farthest[0];
    const body = 'M-1 0.4h2l-0.4 -1.8h-1.2zM-1 0.4l-0.5 1M1 0.4l0.5 1';
    // It leans to the left where its lean is positive, and the axis of the picture points down.
    const craft = ([x, z, lean], kind) => svg('path', { class: kind, d: body, transform: `translate(${x} ${-z}) rotate(${-lean * 57.2958})` });
    return svg('svg', { viewBox: `${-wide - 1} ${-top} ${2 * wide + 2} ${top + 2}`, role: 'img', class: 'sky',
      'aria-label': `Height ${number(at.z, 1)}, ${number(at.x, 1)} to the side, falling with ${number(-at.vz, 1)}, leaning ${number(at.lean * 57.2958, 0)} degrees. `
        + `Believed height ${number(now.means[1], 1)}, ${number(now.means[0], 1)} to the side.` }, [
      svg('rect', { class: 'floor', x: -wide, y: -top, width: 2 * wide, height: top }),
      svg('line', { class: 'wall', x1: -wide, x2: wide, y1: 0.4, y2: 0.4 }),
      svg('line', { class: 'goal', x1: -1, x2: 1, y1: 0.4, y2: 0.4 }),
      cloud.map(p => craft(p, 'particle-craft')),
      truth && [svg('polyline', { class: 'track', points: episode.moments.slice(0, t + 1).map(m => `${m.state[0]},${-m.state[1]}`).join(' ') }),
        craft(now.state, 'craft')],
      svg('text', { class: 'room-name', x: -wide + 0.6, y: -top + 2.2, text: `falls ${number(truth ? -at.vz : -now.means[4], 1)} m/s` }),
    ]);
  },

  'inspection': (scene, episode, t, truth) => {
    const s = scene.setting, now = episode.moments[t], at = fieldsOf(scene, now.state), means = fieldsOf(scene, now.means);
    const [width, height] = s.size, places = pairs(s.places), y = v => height - v;
    const line = (kind, [[x1, y1], [x2, y2]], more) => svg('line', { class: kind, x1, y1: y(y1), x2, y2: y(y2), ...more });
    const dash = (kind, [px, py, heading], r) => svg('line', { class: kind, x1: px, y1: y(py), x2: px + r * Math.cos(heading), y2: y(py + r * Math.sin(heading)) });
    const left = clamp((truth ? at : means).battery / s.battery[0], 0, 1), cloud = cloudOf(scene, now);
    return svg('svg', { viewBox: `-0.3 -0.9 ${width + 0.6} ${height + 1.2}`, role: 'img', class: 'building',
      'aria-label': `Three rooms above a corridor. Robot at (${number(at.x, 1)}, ${number(at.y, 1)}), battery ${percent(left)}. `
        + places.map((_, r) => `Place ${r + 1} faulty with ${percent(means['faulty' + (r + 1)])}, its door open with ${percent(means['open' + (r + 1)])}`).join(', ') }, [
      svg('rect', { class: 'floor', width, height }),
      svg('rect', { class: 'dock', x: s.dock[0] - 0.3, y: y(s.dock[1]) - 0.3, width: 0.6, height: 0.6 }),
      pairs(pairs(s.doors)).map((d, r) => line('door', d, { opacity: 1 - (truth ? at : means)['open' + (r + 1)] })),
      pairs(pairs(s.walls)).map(w => line('wall', w)),
      places.map(([px, py], r) => {
        const p = clamp(means['faulty' + (r + 1)], 0, 1);
        return [svg('circle', { class: truth ? (at['faulty' + (r + 1)] ? 'ring bad' : 'ring good') : 'ring', cx: px, cy: y(py), r: 0.3 }),
          svg('circle', { class: 'fault', cx: px, cy: y(py), r: 0.3 * Math.sqrt(p) }),
          svg('text', { class: 'room-name', x: px + 0.75, y: y(py) + 0.1, text: percent(p).replace(' ', '') })];
      }),
      cloud.map(p => dash('particle', p, 0.25)),
      cloud.map(([px, py]) => svg('circle', { class: 'particle-dot', cx: px, cy: y(py), r: 0.05 })),
      truth && [svg('polyline', { class: 'track', points: episode.moments.slice(0, t + 1).map(m => `${m.state[0]},${y(m.state[1])}`).join(' ') }),
        svg('circle', { class: 'robot-disc', cx: at.x, cy: y(at.y), r: 0.16 }), dash('nose', [at.x, at.y, at.heading], 0.32)],
      svg('rect', { class: 'gauge', x: 0, y: -0.65, width, height: 0.3 }),
      svg('rect', { class: 'charge', x: 0, y: -0.65, width: width * left, height: 0.3 }),
    ]);
  },

  // Any model with coordinates: the first two of them, or the only one along a line.
  'points': (scene, episode, t, truth) => {
    const now = episode.moments[t], flat = scene.fields.length < 2, width = 900, height = flat ? 220 : 600, edge = 40;
    const place = (p, i) => flat ? [p[0], i % 15] : [p[0], p[1]];
    const clouds = episode.moments.flatMap(m => cloudOf(scene, m)), states = episode.moments.map(m => m.state);
    // Hundredths at the edges are left out, so that one stray particle does not shrink the rest.
    const range = c => {
      const cloud = clouds.map(p => p[c]).sort((a, b) => a - b), seen = states.map(s => s[c]);
      const low = Math.min(...seen, cloud[Math.floor(cloud.length * 0.01)] ?? Infinity);
      const high = Math.max(...seen, cloud[Math.floor(cloud.length * 0.99)] ?? -Infinity);
      return high > low ? [low, high] : [low - 1, high + 1];
    };
    const across = range(0), up = flat ? [0, 14] : range(1);
    const x = v => edge + (v - across[0]) / (across[1] - across[0]) * (width - 2 * edge);
    const y = v => height - edge - (v - up[0]) / (up[1] - up[0]) * (height - 2 * edge);
    const inside = ([a, b]) => a >= across[0] && a <= across[1] && b >= up[0] && b <= up[1];
    const at = flat ? [now.state[0], 7] : now.state;
    const ticks = (range, at) => niceTicks(range[0], range[1], 8).filter(v => v >= range[0] && v <= range[1]).map(at);
    return svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
      'aria-label': 'Belief: ' + scene.fields.map((f, i) => `${f} ${number(now.means[i])} on average`).join(', ')
        + (truth ? '. State: ' + scene.fields.map((f, i) => `${f} ${number(now.state[i])}`).join(', ') : '') }, [
      svg('rect', { class: 'floor', width, height, rx: 10 }),
      ticks(across, v => svg('text', { class: 'label', x: x(v), y: height - 12, 'text-anchor': 'middle', text: short(v) })),
      !flat && ticks(up, v => svg('text', { class: 'label', x: 8, y: y(v) + 5, text: short(v) })),
      cloudOf(scene, now).map(place).filter(inside).map(([a, b]) => svg('circle', { class: 'particle-dot', cx: x(a), cy: y(b), r: 6 })),
      truth && !flat && svg('polyline', { class: 'track', points: states.slice(0, t + 1).map(s => `${x(s[0])},${y(s[1])}`).join(' ') }),
      truth && svg('circle', { class: 'robot-disc', cx: x(at[0]), cy: y(at[1]), r: 11 }),
    ]);
  },
};
const sceneHelp = {
  'points': 'Dots are the first two coordinates of states that the belief holds possible (a single coordinate is spread over some rows). With the truth shown the disc is the state itself.',
  'rock-sample': 'A rock is filled as far as it is believed good; the number says how far. A line is the last check, green for “good”, red for “bad”. With the truth shown a rock’s ring is green where it is good.',
  'light-dark': 'The hill is the belief about where the robot is; observations are sharp near the light. It must stop inside the goal.',
  'lidar-roomba': 'Each dot with a dash is a place and a heading that the robot may have. The line is its lidar ray, the ring on it what was measured.',
  'laser-tag': 'Dots are cells that robot (upper left of a cell) and opponent (lower right) may be in. With the truth shown the large disc is the robot, the other the opponent.',
  'sub-hunt': 'Dots are cells that the target may be in. The circles around the boat are how far it hits and hears; the arrow is the target.',
  'pocman': 'Food is as dark as it is believed to be there, dots are cells that ghosts may be in. With the truth shown food that is there has a ring and ghosts are discs, hollow while PocMan has power.',
  'vdp-tag': 'Dots are where the target may be; the agent, which knows its own place, is the disc. Thick lines are barriers. With the truth shown the ring is the target, as large as a tag reaches.',
  'lunar-lander': 'Pale landers are what the belief holds possible. With the truth shown the dark one is the real one.',
  'inspection': 'Dots with dashes are poses that the robot may have. A disc at a place grows with the belief that it is faulty; with the truth shown its ring is red where it is. A door is drawn as far as it is closed. The bar is the battery.',
};
