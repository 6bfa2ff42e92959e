// The logs of runs as lines to draw. Runs of one solver on maps of one problem become one line: their
// mean, with the range from the lowest to the highest.

const fixedColours = 8;  // --c1 to --c8 of the style; beyond, hues far from the one before
const solverStyles = new Map();
function solverColour(solver) {
  if (!solverStyles.size)
    [...new Set(report.runs.map(r => r.solver))].sort().forEach((s, i) =>
      solverStyles.set(s, i < fixedColours ? `var(--c${i + 1})` : `hsl(${(190 + 137.5 * i) % 360} 45% var(--more))`));
  return solverStyles.get(solver);
}

// [{x, y, low, high}] of one run. `y` gives a value, or {y, low, high}, or nothing at entry i.
function runPoints(run, x, y) {
  const points = [], p = run.progress;
  for (let i = 0; i < (p[x] || []).length; ++i) {
    const value = y(p, i), at = p[x][i];
    const point = isNumber(value) ? { y: value } : value;
    if (isNumber(at) && point && isNumber(point.y)) points.push({ x: at, ...point });
  }
  return points;
}

function averaged(lists) {
  const kept = lists.filter(points => points.length);
  if (kept.length < 2) return kept[0] || [];
  const first = Math.max(...kept.map(p => p[0].x)), all = new Set();
  for (const points of kept) for (const { x } of points) if (x >= first) all.add(x);
  let grid = [...all].sort((a, b) => a - b);
  if (grid.length > 240) grid = grid.filter((_, i) => i % Math.ceil(grid.length / 240) === 0);
  const at = kept.map(() => 0);
  return grid.map(x => {
    const values = kept.map((points, k) => {
      while (at[k] + 1 < points.length && points[at[k] + 1].x <= x) ++at[k];
      return points[at[k]].y;
    });
    return { x, y: sum(values) / values.length, low: Math.min(...values), high: Math.max(...values) };
  });
}

// One line per solver of the runs.
function solverLines(runs, x, y, style = {}) {
  return [...new Set(runs.map(r => r.solver))].sort().map(solver => ({
    solver, colour: solverColour(solver), ...style,
    points: averaged(runs.filter(r => r.solver === solver).map(r => runPoints(r, x, y))),
  })).filter(line => line.points.length);
}

const lowerValue = (p, i) => isNumber(p.lower[i]) ? p.lower[i] : simulatedValue(p, i);
function simulatedValue(p, i) {
  const y = p.simulated[i], error = p.standard_error[i];
  return isNumber(y) ? { y, low: y - 1.96 * (error || 0), high: y + 1.96 * (error || 0) } : null;
}
const column = name => (p, i) => p[name] && p[name][i];
