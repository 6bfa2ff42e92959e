// The canvas of the graph: painting, moving, zooming, keys.

Object.assign(GraphView.prototype, {
  resize() {
    const box = this.canvas.parentNode, ratio = devicePixelRatio || 1;
    if (!box.clientWidth) return;
    const first = !this.width;
    this.width = box.clientWidth;
    this.height = box.clientHeight;
    this.canvas.width = this.width * ratio;
    this.canvas.height = this.height * ratio;
    if (first) {
      this.zoom = this.width < 500 ? 0.75 : 0.85;
      this.left = -30;
      this.top = this.y[this.c.start] - this.height / 2 / this.zoom;
    }
    this.paint();
  },

  centre(v) {
    if (!this.width) return;
    if (this.zoom < 0.5) this.zoom = 0.9;
    this.left = this.x[v] + nodeWidth / 2 - this.width / 2 / this.zoom;
    this.top = this.y[v] - this.height / 2 / this.zoom;
  },
  fit() {
    const all = this.layers.flat(), xs = all.map(v => this.x[v]), ys = all.map(v => this.y[v]);
    const low = list => list.reduce((a, b) => Math.min(a, b)), high = list => list.reduce((a, b) => Math.max(a, b));
    const w = high(xs) - low(xs) + nodeWidth + 60, h = high(ys) - low(ys) + nodeHeight + 60;
    this.zoom = clamp(Math.min(this.width / w, this.height / h), 0.02, 1.4);
    this.left = low(xs) - 30 - (this.width / this.zoom - w) / 2;
    this.top = low(ys) - nodeHeight / 2 - 30 - (this.height / this.zoom - h) / 2;
    this.paint();
  },
  zoomBy(factor, at = [this.width / 2, this.height / 2]) {
    const before = this.zoom;
    this.zoom = clamp(this.zoom * factor, 0.02, 3);
    this.left += at[0] / before - at[0] / this.zoom;
    this.top += at[1] / before - at[1] / this.zoom;
    this.paint();
  },

  paint() {
    if (!this.width) return;
    this.canvas.dataset.zoom = this.zoom.toFixed(3);
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paintNow();
    });
  },
  paintNow() {
    const g = this.canvas.getContext('2d'), ratio = devicePixelRatio || 1, z = this.zoom;
    const ink = colour('--ink'), faint = colour('--line'), accent = colour('--accent'), paper = colour('--card');
    const dark = colour('--dark') === '1';
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    g.setTransform(ratio * z, 0, 0, ratio * z, -this.left * z * ratio, -this.top * z * ratio);
    const seen = { x0: this.left, x1: this.left + this.width / z, y0: this.top, y1: this.top + this.height / z };
    const style = { g, ink, faint, accent, paper, dark, z, seen };
    this.drawn = 0;
    for (const e of this.edges) this.paintEdge(e, style);
    if (z > 0.55) this.paintLabels(style);
    for (const layer of this.layers) {
      if (this.x[layer[0]] > seen.x1 || this.x[layer[0]] + nodeWidth < seen.x0) continue;
      for (const v of layer) {
        if (this.y[v] - nodeHeight > seen.y1 || this.y[v] + nodeHeight < seen.y0) continue;
        this.paintNode(v, style);
        ++this.drawn;
      }
    }
  },

  // A forward edge is a soft S; one to an earlier or the same layer swings round below.
  curve(e) {
    const x1 = this.x[e.from] + nodeWidth, y1 = this.y[e.from], x2 = this.x[e.to], y2 = this.y[e.to];
    if (this.x[e.to] > this.x[e.from]) {
      const bend = Math.max(40, (x2 - x1) / 2);
      return [x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2];
    }
    const low = Math.max(y1, y2) + 40 + (x1 - x2) * 0.06;
    return [x1, y1, x1 + 60, low, x2 - 60, low, x2, y2];
  },
  paintEdge(e, { g, faint, accent, ink, z, seen }) {
    const k = this.curve(e), fromChosen = e.from === this.chosen;
    if (Math.max(k[0], k[6], k[2]) < seen.x0 || Math.min(k[0], k[6], k[4]) > seen.x1) return;
    if (Math.max(k[1], k[7], k[3]) < seen.y0 || Math.min(k[1], k[7]) > seen.y1) return;
    const onPath = this.path.has(e.to) && this.paths.parent[e.to] === e.from;
    g.strokeStyle = fromChosen ? accent : onPath ? ink : faint;
    g.globalAlpha = fromChosen || onPath ? 1 : 0.35 + 0.65 * e.p;
    g.lineWidth = (fromChosen ? 1.2 : 0.7) + 2.6 * e.p * (fromChosen || onPath ? 1 : 0.7);
    g.setLineDash(e.p > 0 ? [] : [2, 4]);
    g.beginPath();
    g.moveTo(k[0], k[1]);
    g.bezierCurveTo(...k.slice(2));
    g.stroke();
    g.setLineDash([]);
    if (z > 0.35) {
      const angle = this.x[e.to] > this.x[e.from] ? 0 : Math.atan2(k[7] - k[5], k[6] - k[4]);
      g.fillStyle = g.strokeStyle;
      g.beginPath();
      g.moveTo(k[6], k[7]);
      for (const turn of [2.7, -2.7]) g.lineTo(k[6] + 8 * Math.cos(angle + turn), k[7] + 8 * Math.sin(angle + turn));
      g.fill();
    }
    g.globalAlpha = 1;
  },
  paintNode(v, { g, ink, accent, paper, dark, z }) {
    const node = this.c.nodes[v], x = this.x[v], y = this.y[v] - nodeHeight / 2, hue = this.colours[node.action].hue;
    const chosen = v === this.chosen;
    const small = z < 0.28;  // too small for words: strong colours instead
    g.fillStyle = small ? `hsl(${hue} 60% ${dark ? 62 : 52}%)` : dark ? `hsl(${hue} 42% 27%)` : `hsl(${hue} 70% 88%)`;
    g.strokeStyle = chosen ? accent : dark ? `hsl(${hue} 55% 58%)` : `hsl(${hue} 55% 42%)`;
    g.lineWidth = chosen ? 3.5 : 1.2;
    g.beginPath();
    g.roundRect(x, y, nodeWidth, nodeHeight, 9);
    g.fill();
    g.stroke();
    if (v === this.c.start) {
      g.lineWidth = 1.5;
      g.strokeStyle = ink;
      g.beginPath();
      g.roundRect(x - 4.5, y - 4.5, nodeWidth + 9, nodeHeight + 9, 12);
      g.stroke();
    }
    if (v === this.playing) {
      g.fillStyle = accent;
      g.beginPath();
      g.arc(x + nodeWidth - 4, y + 4, 6, 0, 7);
      g.fill();
    }
    if (small) return;
    g.fillStyle = ink;
    g.textAlign = 'center';
    g.font = '600 13px system-ui, sans-serif';
    g.fillText(this.c.actions[node.action], x + nodeWidth / 2, y + 15, nodeWidth - 8);
    g.font = '10.5px system-ui, sans-serif';
    g.globalAlpha = 0.75;
    g.fillText(v === this.c.start ? `start · ${v}` : `${v} · ${percent(node.reach)}`, x + nodeWidth / 2, y + 28, nodeWidth - 6);
    g.globalAlpha = 1;
    this.paintStub(v, g, ink, x, y);
  },
  paintStub(v, g, ink, x, y) {
    const folded = this.c.nodes[v].edges.filter(e => e.p > 0 && !this.shown[e.to]);
    if (!folded.length) return;
    g.fillStyle = g.strokeStyle = ink;
    g.globalAlpha = 0.6;
    g.setLineDash([2, 3]);
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(x + nodeWidth, y + nodeHeight - 6);
    g.lineTo(x + nodeWidth + 16, y + nodeHeight + 3);
    g.stroke();
    g.setLineDash([]);
    g.textAlign = 'left';
    g.fillText(`+${folded.length}`, x + nodeWidth + 17, y + nodeHeight + 8);
    g.globalAlpha = 1;
  },
  paintLabels({ g, ink, paper, seen, accent, z }) {
    g.font = '11px system-ui, sans-serif';
    g.textAlign = 'center';
    for (const e of this.edges) {
      const often = e.p * this.c.nodes[e.from].reach;
      if (e.from !== this.chosen && (z < 1.2 ? often < 0.04 || e.p < 0.1 : often < 0.002)) continue;
      // Where many leave a node they are apart only near their ends.
      const k = this.curve(e), t = this.c.nodes[e.from].edges.length > 3 ? 0.7 : 0.5, s = 1 - t;
      const x = s ** 3 * k[0] + 3 * s * s * t * k[2] + 3 * s * t * t * k[4] + t ** 3 * k[6];
      const y = s ** 3 * k[1] + 3 * s * s * t * k[3] + 3 * s * t * t * k[5] + t ** 3 * k[7];
      if (x < seen.x0 || x > seen.x1 || y < seen.y0 || y > seen.y1) continue;
      const text = this.seenText(e, 2) + (e.p > 0.995 ? '' : ' ' + percent(e.p));
      const w = Math.min(g.measureText(text).width, 92) + 6;
      g.fillStyle = paper;
      g.globalAlpha = 0.85;
      g.fillRect(x - w / 2, y - 8, w, 15);
      g.globalAlpha = 1;
      g.fillStyle = e.from === this.chosen ? accent : ink;
      g.fillText(text, x, y + 4, 92);
    }
  },

  hit(px, py) {
    const x = px / this.zoom + this.left, y = py / this.zoom + this.top;
    for (const layer of this.layers) {
      if (x < this.x[layer[0]] || x > this.x[layer[0]] + nodeWidth) continue;
      for (const v of layer) if (Math.abs(y - this.y[v]) <= nodeHeight / 2) return v;
    }
    return -1;
  },
  listen() {
    const canvas = this.canvas;
    let from = null, moved = false;
    canvas.addEventListener('pointerdown', e => {
      from = [e.clientX, e.clientY, this.left, this.top];
      moved = false;
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', e => {
      canvas.style.cursor = this.hit(e.offsetX, e.offsetY) >= 0 ? 'pointer' : 'grab';
      if (!from) return;
      const dx = e.clientX - from[0], dy = e.clientY - from[1];
      if (Math.abs(dx) + Math.abs(dy) > 4) moved = true;
      this.left = from[2] - dx / this.zoom;
      this.top = from[3] - dy / this.zoom;
      this.paint();
    });
    canvas.addEventListener('pointerup', () => { from = null; });
    canvas.addEventListener('click', e => {
      const v = moved ? -1 : this.hit(e.offsetX, e.offsetY);
      if (v >= 0) this.select(v, false);
    });
    canvas.addEventListener('pointercancel', () => { from = null; });
    canvas.addEventListener('wheel', e => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      this.zoomBy(Math.exp(-e.deltaY / 300), [e.offsetX, e.offsetY]);
    }, { passive: false });
    canvas.addEventListener('keydown', e => this.key(e));
  },
  key(e) {
    const here = this.layerOf.get(this.chosen);
    const next = {
      ArrowRight: () => {
        const way = [...this.c.nodes[this.chosen].edges].filter(k => k.to !== this.chosen).sort((a, b) => b.p - a.p)[0];
        if (way) this.select(way.to, true);
      },
      ArrowLeft: () => {
        if (this.trail.length > 1) this.trail.pop();
        const back = this.trail.length ? this.trail[this.trail.length - 1] : this.paths.parent[this.chosen];
        if (back >= 0) this.select(back, true, true);
      },
      ArrowUp: () => this.select(here.layer[Math.max(here.i - 1, 0)], true),
      ArrowDown: () => this.select(here.layer[Math.min(here.i + 1, here.layer.length - 1)], true),
      Home: () => this.select(this.c.start, true),
      '+': () => this.zoomBy(1.3), '=': () => this.zoomBy(1.3), '-': () => this.zoomBy(1 / 1.3),
    }[e.key];
    if (!next || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    next();
  },
});
