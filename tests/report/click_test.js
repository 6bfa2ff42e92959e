// Uses the page as a person would, by mouse and by keys, and leaves the verdict in <html data-test>.
// tests/report/page_test.sh puts it at the end of a page whose first script collects errors in `problems`.
(async () => {
  const one = selector => document.querySelector(selector);
  const check = (what, holds) => { if (!holds) problems.push(what); };
  const pause = () => new Promise(done => setTimeout(done, 300));
  const press = (element, key) => element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const clickAt = (element, x, y) => {
    const box = element.getBoundingClientRect();
    element.dispatchEvent(new MouseEvent('click', { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
  };

  async function charts(name) {
    const drawn = document.querySelectorAll('#progress .plot svg');
    check(`${name}: charts`, drawn.length >= 4 && document.querySelectorAll('#progress .plot .line').length >= 4);
    press(drawn[0], 'ArrowRight');
    check(`${name}: arrow keys show values of a chart`, !one('#progress .tip').hidden);
    const before = one('#progress .axes').innerHTML;
    one('#progress figcaption button').click();
    check(`${name}: the axis changes`, one('#progress .axes').innerHTML !== before);
    const shown = one('#progress input[type=checkbox]'), lines = one('.plot').querySelectorAll('.line').length;
    shown.click();
    check(`${name}: a solver can be hidden`, one('.plot').querySelectorAll('.line').length < lines);
    shown.click();
  }

  // As a page that is served gets news (web/live.js): the reader stays where he is.
  async function refresh() {
    const data = () => JSON.parse(one('#data').textContent), news = data();
    const canvas = one('#controller canvas'), box = () => one('#progress input[type=checkbox]');
    box().click();
    box().focus();
    one('#runs details').open = true;
    scrollTo({ top: 500, behavior: 'instant' });
    news.runs[0].score.mean = 123.25;
    penumbraUpdate(news);
    check('news: shown', one('#results').textContent.includes('123.25'));
    check('news: the place stays', scrollY === 500);
    check('news: what is hidden stays so', !box().checked);
    check('news: the focus stays', document.activeElement === box());
    check('news: what is unfolded stays so', one('#runs details').open);
    check('news: the graph stays', one('#controller canvas') === canvas);
    await pause();
    const ended = data();
    ended.episodes = [];
    penumbraUpdate(ended);
    check('news: other episodes are shown', one('#episodes').textContent.includes('No episodes'));
    penumbraUpdate(data());
    box().click();
    await pause();
  }

  async function graph(name) {
    const canvas = one('#controller canvas'), title = () => one('#controller h3').textContent;
    const start = title();
    check(`${name}: the start is chosen`, start.includes('the start'));
    const leads = [...document.querySelectorAll('#controller .panel li')].some(li => !li.textContent.includes('stays'));
    press(canvas, 'ArrowRight');
    check(`${name}: an arrow key follows an edge`, (title() !== start) === leads);
    press(canvas, 'Home');
    check(`${name}: Home leads back`, title() === start);
    const edge = one('#controller .panel li button');
    edge.click();
    check(`${name}: a click on an edge follows it`, edge.textContent.includes('stays') || title() !== start);
    press(canvas, 'Home');  // in the middle of the picture now
    const lead = one('#controller .panel li button');
    if (!lead.textContent.includes('stays')) lead.click();
    press(canvas, 'ArrowLeft');
    await pause();
    check(`${name}: back is where it came from`, title() === start);
    const box = canvas.getBoundingClientRect();
    check(`${name}: something is drawn`, canvas.getContext('2d').getImageData(box.width / 2, box.height / 2, 1, 1).data[3] > 0);
    press(canvas, 'ArrowRight');
    press(canvas, 'Home');
    clickAt(canvas, box.width / 2, box.height / 2);
    check(`${name}: a click chooses the node under it`, title() === start);
    const zoom = canvas.dataset.zoom;
    one('#controller .bar button[aria-label="Fit: see all of it"]').click();
    await pause();
    check(`${name}: it can be zoomed`, canvas.dataset.zoom !== zoom);
  }

  async function player(name) {
    const root = one('#episodes .player'), where = () => root.querySelector('output').textContent;
    const picture = () => root.querySelector('.stage').innerHTML;
    const first = picture();
    press(root, 'ArrowRight');
    check(`${name}: an arrow key steps`, where().startsWith('step 1 of'));
    press(root, 'End');
    check(`${name}: End goes to the last step`, /step (\d+) of \1$/.test(where()));
    check(`${name}: the picture changes`, picture() !== first);
    press(root, 'Home');
    check(`${name}: Home goes to the first step`, where().startsWith('step 0 of'));
    const link = root.querySelector('.words button.link');
    if (link) link.click();
    const whose = one('#episodes .choose select'), planner = whose && [...whose.options].findIndex(o => o.text.startsWith('despot'));
    if (!whose || planner < 0) return;
    whose.value = planner;
    whose.dispatchEvent(new Event('change'));
    const rows = () => one('#episodes .plan-tree').textContent, before = rows();
    check(`${name}: a planner's tree`, document.querySelectorAll('#episodes .plan-tree tbody tr').length > 3);
    press(one('#episodes .player'), 'ArrowRight');
    check(`${name}: the next step has another tree`, rows() !== before);
    trees.add(name);
  }

  async function alphas(name) {
    if (one('#alphas').hidden) return;
    const stage = one('#alphas .alpha-stage'), first = stage.innerHTML, choices = document.querySelectorAll('#alphas .bar select');
    check(`${name}: alpha functions are drawn`, stage.querySelectorAll('rect, polyline, .alpha-track').length > 1);
    drawnAlphas.add(stage.querySelector('.alpha-line') ? 'line' : stage.querySelector('svg') ? 'map' : 'bars');
    for (const choice of choices) {
      if (choice.options.length < 2) continue;
      choice.value = choice.options.length - 1;
      choice.dispatchEvent(new Event('change'));
      check(`${name}: another choice is drawn`, stage.childElementCount === 1);
      if (stage.innerHTML !== first) changedAlphas.add(choice.closest('label').textContent.split(' ')[0]);
    }
    const picture = stage.querySelector('svg'), box = picture && picture.getBoundingClientRect();
    if (picture) picture.dispatchEvent(new MouseEvent('pointermove', { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true }));
    check(`${name}: time per part`, document.querySelectorAll('#progress .part-bar i').length > 0);
  }

  const trees = new Set();  // problems with the tree of a planner
  const drawnAlphas = new Set(), changedAlphas = new Set();  // a constant function looks the same everywhere
  const groups = one('#group');
  const scenes = new Set();
  for (let i = 0; i < groups.options.length; ++i) {
    groups.value = i;
    groups.dispatchEvent(new Event('change'));
    await pause();
    const name = groups.options[i].text;
    await charts(name);
    await graph(name);
    await alphas(name);
    if (one('#episodes .stage svg')) scenes.add(name.split('(')[0]);
    await player(name);
  }
  check(`alpha functions: only ${[...drawnAlphas]}`, drawnAlphas.size >= 2);
  check(`alpha functions: choices that change them: only ${[...changedAlphas]}`, changedAlphas.size === 2);
  check('no tree of a planner', trees.size === 1);
  check(`scenes: only ${[...scenes]}`, scenes.size >= 3);
  await refresh();
  const theme = one('#theme'), modes = new Set();
  for (let i = 0; i < 3; ++i) {
    theme.click();
    modes.add(getComputedStyle(document.body).backgroundColor);
  }
  check('the colours change', modes.size === 2);
  check('nothing is wider than the window', document.documentElement.scrollWidth <= innerWidth);
  check('a name for every control', [...document.querySelectorAll('button, select, input')]
    .every(e => e.textContent || e.getAttribute('aria-label') || e.closest('label')));
  document.documentElement.dataset.test = problems.length ? problems.join(' | ') : 'passed';
})().catch(error => { document.documentElement.dataset.test = 'broken: ' + error.stack; });
