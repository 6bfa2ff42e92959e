// A line chart: axes, lines with bands, level lines with names, a cross hair for mouse and keys.

const chartHeight = 280, chartMargin = { left: 54, right: 14, top: 12, bottom: 38 };

function niceTicks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough) || 10 * power;
  const ticks = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step)
    ticks.push(+t.toPrecision(12));
  return ticks;
}
function logTicks(low, high) {
  const ticks = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e)
    for (const m of high / low > 1e3 ? [1] : [1, 2, 5]) {
      const t = m * 10 ** e;
      if (t >= low * 0.999 && t <= high * 1.001) ticks.push(t);
    }
  return ticks;
}

// The range of y that shows what matters: all lower lines, levels above them, and upper lines only
// so far that the others keep their share of the height.
function rangeOf(lines, levels) {
  const main = lines.filter(l => !l.upper), y = [];
  for (const line of main.length ? main : lines)
    for (const p of line.points.slice(Math.floor(line.points.length / 20))) y.push(p.y, p.low ?? p.y, p.high ?? p.y);
  const low = Math.min(...y);
  let high = Math.max(...y, ...levels.map(l => l.y));
  const most = high + 1.5 * Math.max(high - low, 0.5 * Math.abs(high));
  for (const line of lines.filter(l => l.upper))
    high = Math.max(high, Math.min(line.points[line.points.length - 1].y, most));
  const room = 0.06 * (high - low || Math.abs(high) || 1);
  return [low - room, high + room];
}

const chartLogs = new Map();  // by title, whether its x is logarithmic: where the reader chose

class Chart {
  // {title, xName, yName, lines: [{solver, colour, points, dashed, halo, upper, name}], levels, range, log}
  constructor(options) {
    this.o = options;
    this.log = chartLogs.get(options.title) ?? options.log;
    this.hidden = new Set();
    this.root = el('figure', { class: 'chart' }, [
      el('figcaption', {}, [el('span', { text: options.title }),
        options.lines.length ? el('button', { type: 'button', class: 'small', text: 'log x',
          'aria-pressed': String(!!this.log),
          onclick: e => {
            this.log = !this.log;
            chartLogs.set(this.o.title, this.log);
            e.target.setAttribute('aria-pressed', String(this.log));
            this.draw();
          } }) : null]),
      this.box = el('div', { class: 'plot' }),
    ]);
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  setHidden(hidden) {
    this.hidden = hidden;
    this.draw();
  }

  draw() {
    const width = this.box.clientWidth;
    if (!width) return;
    const lines = this.o.lines.filter(l => !this.hidden.has(l.solver));
    const levels = (this.o.levels || []).filter(l => !this.hidden.has('level:' + l.kind));
    this.box.replaceChildren();
    if (!lines.length) {
      this.box.append(el('p', { class: 'empty', text: this.o.empty || 'Nothing to show.' }));
      return;
    }
    const m = chartMargin, right = width - m.right, bottom = chartHeight - m.bottom;
    const xs = lines.flatMap(l => l.points.map(p => p.x)).filter(x => !this.log || x > 0);
    let x0 = Math.min(...xs), x1 = Math.max(...xs);
    if (!this.log) x0 = 0;
    if (!(x1 > x0)) x1 = x0 > 0 ? x0 * 2 : x0 + 1;
    const [y0, y1] = this.o.range || rangeOf(lines, levels);
    const scale = this.log ? Math.log : x => x;
    const px = x => m.left + (scale(x) - scale(x0)) / (scale(x1) - scale(x0)) * (right - 6 - m.left);
    const py = y => bottom - (y - y0) / (y1 - y0) * (bottom - m.top);
    Object.assign(this, { px, py, x0, x1, y0, y1, lines, width, bottom, right });
    const id = 'clip' + (Chart.count = (Chart.count || 0) + 1);
    this.picture = svg('svg', { width, height: chartHeight, tabindex: 0, role: 'img',
      'aria-label': this.summary(lines) }, [
      svg('clipPath', { id }, svg('rect', { x: m.left, y: m.top, width: right - m.left, height: bottom - m.top })),
      this.axes(),
      svg('g', { 'clip-path': `url(#${id})` }, [levels.map(l => this.level(l)), lines.map(l => this.line(l))]),
      this.levelNames(levels),
      this.cross = svg('g', { class: 'cross' }),
    ]);
    this.tip = el('div', { class: 'tip', role: 'status', hidden: true });
    this.picture.addEventListener('pointermove', e => this.point(e.offsetX));
    this.picture.addEventListener('pointerleave', () => this.leave());
    this.picture.addEventListener('blur', () => this.leave());
    this.picture.addEventListener('keydown', e => this.key(e));
    this.box.append(this.picture, this.tip);
  }

  summary(lines) {
    return `${this.o.title}. ` + lines.map(l => {
      const last = l.points[l.points.length - 1];
      return `${l.name || l.solver}: ${number(last.y)} at ${short(last.x)}`;
    }).join('; ');
  }

  axes() {
    const { px, py, x0, x1, y0, y1, bottom, right } = this, left = chartMargin.left;
    const count = Math.max(2, Math.floor((right - left) / 90));
    const xt = this.log && x1 / x0 > 8 ? logTicks(x0, x1) : niceTicks(x0, x1, count);
    return svg('g', { class: 'axes' }, [
      niceTicks(y0, y1, 5).map(y => [
        svg('line', { x1: left, x2: right, y1: py(y), y2: py(y) }),
        svg('text', { x: left - 8, y: py(y) + 4, 'text-anchor': 'end', text: short(y) })]),
      xt.map(x => svg('text', { x: px(x), y: bottom + 17, 'text-anchor': 'middle', text: short(x) })),
      svg('line', { class: 'base', x1: left, x2: right, y1: bottom, y2: bottom }),
      svg('text', { class: 'name', x: right, y: bottom + 33, 'text-anchor': 'end', text: this.o.xName }),
    ]);
  }

  line(l) {
    const { px, py } = this, points = l.points.filter(p => !this.log || p.x > 0);
    // What was known at a time holds until the next report: steps, not slopes.
    const steps = list => list.flatMap(([x, y], i) => i ? [[x, list[i - 1][1]], [x, y]] : [[x, y]]);
    const d = list => list.map(([x, y], i) => `${i ? 'L' : 'M'}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join('');
    const band = points.filter(p => isNumber(p.low));
    const last = points[points.length - 1];
    return svg('g', { style: `--line:${l.colour}` }, [
      band.length > 1 && svg('path', { class: 'band', d: d(steps(band.map(p => [p.x, p.high]))
        .concat(steps(band.map(p => [p.x, p.low])).reverse())) + 'Z' }),
      svg('path', { class: l.dashed ? 'line dashed' : l.halo ? 'line halo' : 'line', d: d(steps(points.map(p => [p.x, p.y]))) }),
      last && svg('circle', { class: 'end', cx: px(last.x), cy: py(last.y), r: 3 }),
    ]);
  }

  level(l) {
    const y = this.py(l.y);
    return svg('line', { class: 'level ' + l.kind, x1: chartMargin.left, x2: this.right, y1: y, y2: y });
  }

  // Names of levels, pushed apart.
  levelNames(levels) {
    const inside = levels.filter(l => l.y >= this.y0 && l.y <= this.y1).sort((a, b) => b.y - a.y);
    let before = -Infinity;
    return svg('g', {}, inside.map(l => {
      const y = before = Math.max(this.py(l.y) - 4, before + 12);
      return svg('text', { class: 'level-name ' + l.kind, x: chartMargin.left + 5, y,
        text: `${l.name} ${number(l.y)}` }, svg('title', { text: l.source || '' }));
    }));
  }

  point(at) {
    const xs = [...new Set(this.lines.flatMap(l => l.points.map(p => p.x)))].sort((a, b) => a - b);
    const near = xs.reduce((best, x) => Math.abs(this.px(x) - at) < Math.abs(this.px(best) - at) ? x : best, xs[0]);
    this.showAt(near);
  }
  showAt(x) {
    this.at = x;
    const rows = this.lines.map(l => {
      let p = null;
      for (const q of l.points) if (q.x <= x) p = q;
      return p && { l, p };
    }).filter(Boolean);
    const at = this.px(x);
    this.cross.replaceChildren(svg('line', { x1: at, x2: at, y1: chartMargin.top, y2: this.bottom }),
      ...rows.filter(r => r.p.y >= this.y0 && r.p.y <= this.y1).map(r =>
        svg('circle', { cx: at, cy: this.py(r.p.y), r: 4, style: `fill:${r.l.colour}` })));
    this.tip.replaceChildren(el('b', { text: `${short(+x.toPrecision(4))} ${this.o.xUnit || ''}` }),
      ...rows.map(r => el('div', {}, [el('i', { style: `background:${r.l.colour}` }),
        `${r.l.name || r.l.solver} ${this.o.whole ? whole(r.p.y) : number(r.p.y)}`])));
    this.tip.hidden = false;
    const left = at < this.width / 2 ? at + 12 : at - this.tip.offsetWidth - 12;
    this.tip.style.left = clamp(left, 0, Math.max(0, this.width - this.tip.offsetWidth)) + 'px';
  }
  leave() {
    this.tip.hidden = true;
    this.cross.replaceChildren();
  }
  key(e) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const xs = [...new Set(this.lines.flatMap(l => l.points.map(p => p.x)))].sort((a, b) => a - b);
    const i = this.at === undefined ? (step > 0 ? -1 : xs.length) : xs.indexOf(this.at);
    this.showAt(xs[clamp(i + step, 0, xs.length - 1)]);
  }
}
