// Alpha functions: what the networks of a few nodes say of states, as a line, as a map or one by one.

// From low to high, dark to light: the eye reads it as one scale, and so do those who see fewer colours.
const heatStops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
function heat(share) {
  const at = clamp(share, 0, 1) * (heatStops.length - 1), i = Math.min(Math.floor(at), heatStops.length - 2);
  return `rgb(${heatStops[i].map((c, k) => Math.round(c + (heatStops[i + 1][k] - c) * (at - i)))})`;
}

const onAxis = (axis, i) => axis.low + (i + 0.5) * axis.step;

// Seen on every colour of the map: white around and inside.
const alphaRing = ([cx, cy], good, r) => [svg('circle', { class: 'ring-back', cx, cy, r }), svg('circle', { class: good ? 'ring good' : 'ring bad', cx, cy, r })];

// What a domain adds to its map, in the units of the axes. `fields` are those of the slice.
const alphaMarks = {
  'rock-sample': (scene, fields) => pairs(scene.setting.rocks).map((at, r) => alphaRing(at, fields[2 + r], 0.3)),
  'rover': (scene, fields) => alphaRing(pairs(scene.setting.stones)[fields[2]], fields[3 + fields[2]], 0.25),
  'lidar-roomba': scene => ['walls', 'goal', 'stairs'].map(kind => pairs(pairs(scene.setting[kind] || [])).map(([[x1, y1], [x2, y2]]) =>
    svg('line', { class: kind === 'walls' ? 'wall' : kind, x1, y1, x2, y2 }))),
  'vdp-tag': scene => pairs(pairs(scene.setting.walls)).map(([[x1, y1], [x2, y2]]) => svg('line', { class: 'wall', x1, y1, x2, y2 })),
  'inspection': (scene, fields) => [pairs(pairs(scene.setting.walls)).map(([[x1, y1], [x2, y2]]) => svg('line', { class: 'wall', x1, y1, x2, y2 })),
    pairs(scene.setting.places).map((at, r) => alphaRing(at, !fields[7 + r], 0.25))],
};

class AlphaView {
  constructor(data) {
    this.data = data;
    this.scene = isNumber(data.scene) ? report.scenes[data.scene] : null;
    this.node = this.slice = 0;
    const pick = (label, options, change) => el('label', {}, [label, ' ', el('select', { onchange: e => { change(+e.target.value); this.draw(); } },
      options.map((text, value) => el('option', { value, text })))]);
    this.readout = el('output', {});
    this.stage = el('div', { class: 'alpha-stage' });
    const help = data.axes.length === 0 ? 'Each bar is a state that walks meet often.'
      : data.axes.length === 1 ? 'The chosen node is the thick line, the others that are visited most are thin.'
        : 'Of cells without colour nothing was said.' + (data.slices.length > 1 ? ' Everything but the two axes is as the second choice says.' : '');
    this.root = el('div', {}, [
      el('div', { class: 'bar' }, [
        pick('Node', data.nodes.map(n => n.node < 0 ? n.action : `${n.node}: ${n.action}${n.start ? ', the start' : ''}, in ${percent(n.reach)} of episodes`), i => { this.node = i; }),
        data.slices.length > 1 ? pick('with', data.slices.map(s => s.label), i => { this.slice = i; }) : null,
        this.readout]),
      this.stage,
      el('p', { class: 'note', text: 'What the node’s network says of the return from each state when the controller goes on from this node: a claim, not a simulation. ' + help }),
    ]);
    this.draw();
  }

  say(place, value) {
    this.readout.textContent = isNumber(value) ? `${place}: ${number(value)}` : '';
  }

  draw() {
    const { axes } = this.data, slice = this.data.slices[this.slice], values = slice.values[this.node];
    this.say('', null);
    this.stage.replaceChildren(axes.length === 0 ? this.bars(values) : axes.length === 1 ? this.line(slice, axes[0]) : this.map(slice, axes, values));
  }

  summary(values) {
    const n = this.data.nodes[this.node];
    return `Alpha function of ${n.node < 0 ? n.action : `node ${n.node} (${n.action})`}: from ${number(Math.min(...values))} to ${number(Math.max(...values))}`;
  }

  bars(values) {
    const low = Math.min(0, ...values), high = Math.max(0, ...values), share = v => 100 * (v - low) / (high - low || 1);
    return el('div', { class: 'alpha-bars', role: 'img', 'aria-label': this.summary(values) }, values.map((v, i) => [
      el('span', { text: this.data.names[i] }),
      el('span', { class: 'alpha-track' }, el('i', { style: `left:${share(Math.min(v, 0))}%;width:${share(Math.max(v, 0)) - share(Math.min(v, 0))}%` })),
      el('b', { text: number(v) })]));
  }

  line(slice, axis) {
    const width = 900, height = 320, left = 54, right = width - 12, top = 12, bottom = height - 40;
    // All of the chosen line, and of the others what is usual: a few claim much where they were never fitted.
    const usual = slice.values.flat().filter(isNumber).sort((a, b) => a - b), part = share => usual[Math.floor(share * (usual.length - 1))];
    const known = slice.values[this.node].filter(isNumber);
    const low = Math.min(...known, part(0.05)), high = Math.max(...known, part(0.95)), room = 0.05 * (high - low || 1);
    const end = axis.low + axis.step * axis.cells;
    const px = x => left + (x - axis.low) / (end - axis.low) * (right - left);
    const py = y => bottom - (y - low + room) / (high - low + 2 * room) * (bottom - top);
    const points = values => values.map((v, i) => `${px(onAxis(axis, slice.cells[i])).toFixed(1)},${py(v).toFixed(1)}`).join(' ');
    const chosen = slice.values[this.node], id = 'alpha' + (AlphaView.count = (AlphaView.count || 0) + 1);
    const setting = this.scene && this.scene.kind === 'light-dark' ? this.scene.setting : null;
    const mark = svg('line', { class: 'alpha-cross', y1: top, y2: bottom, x1: -9, x2: -9 });
    const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': this.summary(chosen) }, [
      svg('g', { class: 'axes' }, [
        niceTicks(low - room, high + room, 5).map(y => [svg('line', { x1: left, x2: right, y1: py(y), y2: py(y) }),
          svg('text', { x: left - 8, y: py(y) + 4, 'text-anchor': 'end', text: short(y) })]),
        niceTicks(axis.low, end, 12).map(x => svg('text', { x: px(x), y: bottom + 17, 'text-anchor': 'middle', text: short(x) })),
        svg('line', { class: 'base', x1: left, x2: right, y1: bottom, y2: bottom }),
        svg('text', { x: right, y: bottom + 34, 'text-anchor': 'end', text: axis.name })]),
      setting && [
        svg('rect', { class: 'goal-band', x: px(setting.goal[0]), width: px(setting.goal[1]) - px(setting.goal[0]), y: top, height: bottom - top }),
        svg('line', { class: 'lamp', x1: px(setting.light[0]), x2: px(setting.light[0]), y1: top, y2: bottom })],
      svg('clipPath', { id }, svg('rect', { x: left, y: top, width: right - left, height: bottom - top })),
      svg('g', { 'clip-path': `url(#${id})` }, [
        slice.values.map((values, n) => n !== this.node && svg('polyline', { class: 'alpha-other', points: points(values) })),
        svg('polyline', { class: 'alpha-line', points: points(chosen) })]),
      mark,
    ]);
    picture.addEventListener('pointermove', e => {
      const x = axis.low + ((e.offsetX * width / picture.clientWidth) - left) / (right - left) * (end - axis.low);
      const i = clamp(Math.floor((x - axis.low) / axis.step), 0, chosen.length - 1);
      mark.setAttribute('x1', px(onAxis(axis, i)));
      mark.setAttribute('x2', px(onAxis(axis, i)));
      this.say(`${axis.name} ${number(onAxis(axis, i))}`, chosen[i]);
    });
    return picture;
  }

  map(slice, [ax, ay], values) {
    const known = values.filter(isNumber), low = Math.min(...known), high = Math.max(...known);
    const w = ax.step * ax.cells, h = ay.step * ay.cells;
    // Grids and rooms keep their shape; other planes fill the picture.
    const sameUnit = w / h < 4 && h / w < 4, sx = sameUnit ? 1 : h / w;
    const unit = Math.max(w * sx, h) / 100, font = 3.2 * unit;
    const at = new Map(slice.cells.map((cell, i) => [cell, values[i]]));
    const place = cell => [cell % ax.cells, Math.floor(cell / ax.cells)];
    const marks = this.scene && alphaMarks[this.scene.kind] && slice.fields.length ? alphaMarks[this.scene.kind](this.scene, slice.fields) : [];
    const y0 = ay.low + h;  // north is up; cells overlap a little, so that nothing shines through
    const x = v => (v - ax.low) * sx;
    const picture = svg('svg', { viewBox: `${-9 * unit} ${-2 * unit} ${w * sx + 11 * unit} ${h + 12 * unit}`, role: 'img', 'aria-label': this.summary(known) }, [
      svg('g', { class: 'axes', 'font-size': font }, [
        niceTicks(ax.low, ax.low + w, 8).map(v => svg('text', { style: `font-size:${font}px`, x: x(v), y: h + 1.3 * font, 'text-anchor': 'middle', text: short(v) })),
        niceTicks(ay.low, ay.low + h, 8).map(v => svg('text', { style: `font-size:${font}px`, x: -unit, y: y0 - v + 0.35 * font, 'text-anchor': 'end', text: short(v) })),
        svg('text', { style: `font-size:${font}px`, x: w * sx, y: h + 2.4 * font, 'text-anchor': 'end', text: `${ax.name} across, ${ay.name} up` })]),
      slice.cells.map((cell, i) => {
        const [column, row] = place(cell);
        return isNumber(values[i]) && svg('rect', { 'shape-rendering': 'crispEdges', x: column * ax.step * sx, y: h - (row + 1) * ay.step, width: ax.step * sx * 1.04, height: ay.step * 1.04,
          fill: heat((values[i] - low) / (high - low || 1)) });
      }),
      svg('g', { class: 'alpha-marks', transform: `matrix(${sx} 0 0 -1 ${-ax.low * sx} ${y0})` }, marks),
    ]);
    picture.addEventListener('pointermove', e => {
      const box = picture.getScreenCTM().inverse(), px = box.a * e.clientX + box.e, py = box.d * e.clientY + box.f;
      const column = Math.floor(px / sx / ax.step), row = Math.floor((h - py) / ay.step);
      const inside = column >= 0 && column < ax.cells && row >= 0 && row < ay.cells;
      this.say(`${ax.name} ${number(onAxis(ax, column))}, ${ay.name} ${number(onAxis(ay, row))}`, inside ? at.get(row * ax.cells + column) : null);
    });
    const scale = el('div', { class: 'alpha-scale' }, [el('span', { text: number(low) }),
      el('i', { style: `background:linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(heat).join(', ')})` }), el('span', { text: number(high) })]);
    return el('div', {}, [picture, scale]);
  }
}

// How the time of each run was spent, one bar a run.
function timePerPart(runs) {
  const told = runs.filter(r => r.phases && Object.keys(r.phases).length);
  if (!told.length) return null;
  const parts = [...new Set(told.flatMap(r => Object.keys(r.phases)))];
  const partColour = part => `var(--c${parts.indexOf(part) % 8 + 1})`;
  return el('figure', { class: 'chart parts' }, [
    el('figcaption', {}, el('span', { text: 'Time per part' })),
    el('div', { class: 'part-names' }, parts.map(part => el('span', { class: 'choice' }, [el('i', { class: 'swatch', style: `background:${partColour(part)}` }), part]))),
    told.slice(0, 24).map(r => {
      const total = sum(Object.values(r.phases));
      return el('div', { class: 'part-row' }, [
        el('span', { text: `${r.solver}: ${r.name}`, title: r.name }),
        el('div', { class: 'part-bar', role: 'img', 'aria-label': parts.filter(p => r.phases[p]).map(p => `${p} ${percent(r.phases[p] / total)}`).join(', ') },
          parts.filter(p => r.phases[p]).map(p => el('i', { title: `${p}: ${duration(r.phases[p])}, ${percent(r.phases[p] / total)}`,
            style: `width:${100 * r.phases[p] / total}%;background:${partColour(p)}` }, r.phases[p] / total > 0.08 ? percent(r.phases[p] / total) : null))),
        el('b', { text: duration(total) })]);
    }),
  ]);
}
