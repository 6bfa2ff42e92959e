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
};
const sceneHelp = {
  'rock-sample': 'A rock is filled as far as it is believed good; the number says how far. A line is the last check, green for “good”, red for “bad”. With the truth shown a rock’s ring is green where it is good.',
  'light-dark': 'The hill is the belief about where the robot is; observations are sharp near the light. It must stop inside the goal.',
  'lidar-roomba': 'Each dot with a dash is a place and a heading that the robot may have. The line is its lidar ray, the ring on it what was measured.',
};
