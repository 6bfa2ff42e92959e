// Where the nodes of a controller stand: in layers from the start, a node as far right as the most
// likely path to it has steps; within a layer near those it is connected to.

const nodeWidth = 104, nodeHeight = 34, layerGap = 200, rowGap = 54;

// Most likely paths from the start over edges that were seen. `parent` and `depth` are -1 where
// there is none. A binary heap over path probabilities.
function likelyPaths(controller) {
  const n = controller.nodes.length, best = new Float64Array(n), done = new Uint8Array(n);
  const parent = new Int32Array(n).fill(-1), depth = new Int32Array(n).fill(-1), heap = [];
  const push = (p, v) => {
    let i = heap.push([p, v]) - 1;
    for (; i > 0 && heap[(i - 1) >> 1][0] < heap[i][0]; i = (i - 1) >> 1)
      [heap[i], heap[(i - 1) >> 1]] = [heap[(i - 1) >> 1], heap[i]];
  };
  const pop = () => {
    const top = heap[0], last = heap.pop();
    if (heap.length) {
      heap[0] = last;
      for (let i = 0; ;) {
        let c = 2 * i + 1;
        if (c >= heap.length) break;
        if (c + 1 < heap.length && heap[c + 1][0] > heap[c][0]) ++c;
        if (heap[c][0] <= heap[i][0]) break;
        [heap[i], heap[c]] = [heap[c], heap[i]];
        i = c;
      }
    }
    return top;
  };
  best[controller.start] = 1;
  depth[controller.start] = 0;
  push(1, controller.start);
  while (heap.length) {
    const [p, v] = pop();
    if (done[v]) continue;
    done[v] = 1;
    for (const e of controller.nodes[v].edges) {
      const q = p * Math.max(e.p, 1e-9);  // never seen is still a way, the last resort
      if (q <= best[e.to] || done[e.to]) continue;
      best[e.to] = q;
      parent[e.to] = v;
      depth[e.to] = depth[v] + 1;
      push(q, e.to);
    }
  }
  return { parent, depth, best };
}

// Positions {x, y} of the nodes for which shown[v], by layers.
function placeNodes(controller, paths, shown) {
  const n = controller.nodes.length, x = new Float32Array(n), y = new Float32Array(n);
  const layers = [];
  for (let v = 0; v < n; ++v)
    if (shown[v]) (layers[Math.max(paths.depth[v], 0)] ||= []).push(v);
  // Neighbours in other layers, weighted by how often the edge is taken.
  const near = Array.from({ length: n }, () => []);
  for (let v = 0; v < n; ++v) {
    if (!shown[v]) continue;
    for (const e of controller.nodes[v].edges) {
      if (!shown[e.to] || e.to === v || paths.depth[e.to] === paths.depth[v]) continue;
      const weight = e.p * controller.nodes[v].reach + (paths.parent[e.to] === v ? 0.5 : 0.001);
      near[v].push([e.to, weight]);
      near[e.to].push([v, weight]);
    }
  }
  const wish = (v, side) => {
    let total = 0, at = 0;
    for (const [u, w] of near[v]) {
      if (side && Math.sign(paths.depth[u] - paths.depth[v]) !== side) continue;
      total += w;
      at += w * y[u];
    }
    return total ? at / total : y[v];
  };
  // A layer in its order, each where it wants to be and none too near: pushed down, then pulled up.
  const settle = (layer, wanted) => {
    const at = layer.map(v => wanted.get(v));
    for (let i = 1; i < at.length; ++i) at[i] = Math.max(at[i], at[i - 1] + rowGap);
    const shift = sum(layer.map((v, i) => at[i] - wanted.get(v))) / layer.length;
    layer.forEach((v, i) => { y[v] = at[i] - shift; });
  };
  layers.forEach((layer, d) => {
    if (!layer) return;
    layer.sort((a, b) => controller.nodes[b].reach - controller.nodes[a].reach || a - b);
    layer.forEach((v, i) => { x[v] = d * layerGap; y[v] = (i - (layer.length - 1) / 2) * rowGap; });
  });
  for (let pass = 0; pass < 8; ++pass) {
    const forward = pass % 2 === 0, order = forward ? layers : [...layers].reverse();
    for (const layer of order) {
      if (!layer || layer.length === 0) continue;
      const wanted = new Map(layer.map(v => [v, wish(v, pass < 6 ? (forward ? -1 : 1) : 0)]));
      layer.sort((a, b) => wanted.get(a) - wanted.get(b) || a - b);
      settle(layer, wanted);
    }
  }
  return { x, y, layers: layers.filter(Boolean) };
}
