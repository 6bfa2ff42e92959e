// The table of scores: solvers by problems, and the published ones beside ours.

function scoreOf(runs) {
  const scored = runs.filter(r => r.score && isNumber(r.score.mean));
  if (!scored.length) return null;
  const means = scored.map(r => r.score.mean), n = means.length, mean = sum(means) / n;
  return {
    mean, runs: n,
    spread: n > 1 ? Math.sqrt(sum(means.map(x => (x - mean) ** 2)) / (n - 1)) : null,
    error: Math.sqrt(sum(scored.map(r => (r.score.standard_error || 0) ** 2))) / n,
    episodes: sum(scored.map(r => r.score.episodes || 0)),
  };
}

function scoreCell(runs) {
  const score = scoreOf(runs);
  if (!score) {
    const why = runs[0] && (runs[0].status || 'not done');
    return el('td', { class: 'faint', text: why || '', title: runs[0] && runs[0].problem });
  }
  return el('td', { title: `${score.runs} run(s), ${whole(score.episodes)} episodes` }, [
    el('b', { text: number(score.mean) }),
    el('span', { class: 'faint', text: ` ± ${number(score.error, score.error < 0.01 ? 3 : 2)}` }),
    score.spread !== null && el('div', { class: 'note', text: `spread ${number(score.spread)} over ${score.runs} runs` }),
  ]);
}

function publishedCell(entry) {
  return el('td', { class: 'faint', title: entry && [entry.source, entry.note].filter(Boolean).join('. ') },
    entry ? `${number(entry.mean)}${isNumber(entry.spread) ? ` ± ${number(entry.spread)}` : ''}` : '');
}

function resultsTable(choose) {
  const groups = report.groups, solvers = [...new Set(report.runs.map(r => r.solver))].sort();
  const theirs = [...new Set(groups.flatMap(g => g.published.map(p => p.name)))];
  const rows = solvers.map(solver => el('tr', {}, [
    el('th', { scope: 'row' }, [el('i', { class: 'swatch', style: `background:${solverColour(solver)}` }), solver]),
    groups.map((g, i) => scoreCell(report.runs.filter(r => r.group === i && r.solver === solver))),
  ]));
  const published = theirs.map(name => el('tr', { class: 'published' }, [
    el('th', { scope: 'row', text: name }),
    groups.map(g => publishedCell(g.published.find(p => p.name === name))),
  ]));
  return el('div', {}, [
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of scores' }, el('table', {}, [
      el('thead', {}, el('tr', {}, [el('th', { text: 'solver' }), groups.map((g, i) =>
        el('th', { scope: 'col' }, groups.length > 1 ? el('button', { type: 'button', class: 'link', text: g.name,
          onclick: () => choose(i) }) : g.name))])),
      el('tbody', {}, rows),
      published.length ? el('tbody', { class: 'published' }, [
        el('tr', {}, el('th', { colspan: groups.length + 1, class: 'divider', text: 'published by others' })),
        published]) : null,
    ])),
    el('p', { class: 'note', text: 'Mean discounted return of simulated episodes ± its standard error (the policies as they are). '
      + 'Spread is the standard deviation over runs, which differ by map or seed. Published figures are their authors’, '
      + 'on maps and machines of their own; hold the mouse over one for its source.' }),
  ]);
}

function comparisonTable(comparisons) {
  if (!comparisons.length) return null;
  const sure = p => p === null ? '–' : p < 0.001 ? '<0.001' : number(p, 3);
  return el('details', {}, [
    el('summary', { text: `${comparisons.length} paired comparisons` }),
    el('div', { class: 'scroll', tabindex: 0 }, el('table', {}, [
      el('thead', {}, el('tr', {}, ['problem', 'first', 'second', 'first − second', 'standard error',
        'p, corrected', 'p over runs, corrected'].map(text => el('th', { text })))),
      el('tbody', {}, comparisons.map(c => el('tr', {}, [el('td', { text: c.model }), el('td', { text: c.first }),
        el('td', { text: c.second }), el('td', {}, el('b', { text: number(c.difference) })),
        el('td', { text: number(c.standard_error, 3) }), el('td', { text: sure(c.p_corrected) }),
        el('td', { text: sure(c.p_runs_corrected) })]))),
    ])),
  ]);
}

function runsTable(runs) {
  const trust = r => r.upper_proven ? '' : r.upper_kind === 'sampled' ? ' (95 %)' : ' (estimate)';
  const bound = r => isNumber(r.upper) ? `${number(r.upper)}${trust(r)}` : '–';
  return el('div', {}, [
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of runs' }, el('table', {}, [
      el('thead', {}, el('tr', {}, ['run', 'solver', 'seed', 'ended by', 'score', 'lower bound', 'upper bound', 'time', 'backups',
        'nodes', 'memory'].map(text => el('th', { text })))),
      el('tbody', {}, runs.map(r => el('tr', {}, [
        el('th', { scope: 'row', text: r.name }), el('td', { text: r.solver }), el('td', { text: r.seed ?? '–' }),
        el('td', { text: r.status || 'not ended', title: r.problem }), scoreCell([r]),
        el('td', { text: isNumber(r.lower) ? number(r.lower) : '–' }), el('td', { text: bound(r) }),
        el('td', { text: isNumber(r.seconds_per_step) ? `${duration(r.seconds_per_step)} a step` : duration(r.seconds) }), el('td', { text: whole(r.backups) }),
        el('td', { text: whole(r.nodes) }), el('td', { text: bytes(r.peak_memory) })]))),
    ])),
    runs.map(r => el('details', {}, [
      el('summary', { text: `How ${r.name} was made` }),
      el('dl', {}, Object.entries({ domain: r.domain, ...(r.facts || {}), ...(r.config || {}) })
        .filter(([, v]) => v !== '' && v !== null).map(([k, v]) => [el('dt', { text: k }), el('dd', { text: v })])),
    ])),
  ]);
}
