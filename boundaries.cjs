// The dependency rule of ARCHITECTURE.md, as a test. Arrows go down only:
// main -> cells -> upkeep -> capabilities -> platform -> kernel -> contract.
// tests/architecture/boundaries.test.ts breaks each rule once to see that it holds.
const src = '^server/src'
const capability = `${src}/capabilities/([^/]+)/`
const isTest = '[.]test[.]ts$'

// Who may enter whom. A capability that is not listed enters none.
const allowedEntries = {
  folders: ['events'],
  tokens: ['events'],
  webhooks: ['events'],
  assets: ['events', 'folders'],
  'content-keys': ['assets'],
  renditions: ['assets', 'events'],
  pipeline: ['assets', 'chapters', 'content-keys', 'events', 'renditions', 'subtitles'],
  'upload-sessions': ['assets', 'events', 'pipeline'],
  chapters: ['assets', 'events'],
  subtitles: ['assets', 'events'],
  'access-tokens': ['assets', 'signing-keys'],
  embedding: ['assets'],
  playback: ['access-tokens', 'assets', 'chapters', 'content-keys', 'subtitles'],
}

const forbid = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { ...from, pathNot: [isTest, ...[from.pathNot ?? []].flat()] },
  to,
})

const entries = Object.entries(allowedEntries)
const listed = entries.map(([from]) => from)

module.exports = {
  forbidden: [
    forbid('no-cycles', 'Imports flow one way.', {}, { circular: true }),

    forbid(
      'kernel-stands-alone',
      'The kernel knows nothing but the contract.',
      { path: `${src}/kernel/` },
      { path: `${src}/(?!kernel/)` },
    ),
    forbid(
      'platform-knows-no-capability',
      'The platform serves every capability and knows none.',
      { path: `${src}/platform/` },
      { path: capability },
    ),
    forbid(
      'main-is-the-top',
      'Only main composes; nothing of the service imports it.',
      { path: '^(contract|server|media)/', pathNot: `${src}/main/` },
      { path: `${src}/main/` },
    ),
    forbid(
      'upkeep-looks-after-all',
      'What belongs to one capability is done there; what is done for all of them is known to main alone.',
      { path: `${src}/(capabilities|platform|kernel)/` },
      { path: `${src}/upkeep/` },
    ),
    forbid(
      'upkeep-comes-by-the-front-door',
      'Whoever looks after everything needs no way in of its own.',
      { path: `${src}/upkeep/` },
      { path: capability, pathNot: `${src}/capabilities/([^/]+)/\\1[.]ts$` },
    ),
    forbid(
      'cells-are-above-all-of-one',
      'Who lives where is no business of a cell: nothing that runs in one knows of others.',
      { path: `${src}/(upkeep|capabilities|platform|kernel)/` },
      { path: `${src}/cells/` },
    ),
    forbid(
      'cells-come-by-the-front-door',
      'Whoever moves an organization needs no way in of its own.',
      { path: `${src}/cells/` },
      { path: capability, pathNot: `${src}/capabilities/([^/]+)/\\1[.]ts$` },
    ),
    forbid(
      'front-door-only',
      'Another capability is entered through the file that bears its name; for the wire, also through its wire file.',
      { path: capability },
      {
        path: capability,
        pathNot: [
          `${src}/capabilities/$1/`,
          `${src}/capabilities/([^/]+)/\\1[.]ts$`,
          '[.]wire[.]ts$',
        ],
      },
    ),
    forbid(
      'wire-files-are-for-the-wire',
      'How things look on the wire is the business of routes, of what events tell, and of other wire files.',
      { path: `${src}/`, pathNot: '[.](routes|wire|events)[.]ts$' },
      { path: '[.]wire[.]ts$' },
    ),
    forbid(
      'capabilities-enter-in-order',
      'Who may enter whom is listed at the top of this file.',
      { path: capability, pathNot: `${src}/capabilities/(${listed.join('|')})/` },
      { path: capability, pathNot: `${src}/capabilities/$1/` },
    ),
    ...entries.map(([from, to]) =>
      forbid(
        `${from}-enters-only-${to.join('-')}`,
        'Who may enter whom is listed at the top of this file.',
        { path: `${src}/capabilities/${from}/` },
        { path: capability, pathNot: `${src}/capabilities/(${[from, ...to].join('|')})/` },
      ),
    ),
    forbid(
      'routes-call-the-front-door',
      'Routes and jobs never reach past the front door.',
      { path: '[.](routes|jobs)[.]ts$' },
      { path: '[.]store[.]ts$' },
    ),
    forbid(
      'stores-speak-sql-only',
      'A store does not decide, answer or enqueue. It may build on another one beside it.',
      { path: '^(.+)/[^/]+[.]store[.]ts$' },
      {
        path: [`${src}/platform/(?!db/)`, '[.](routes|jobs)[.]ts$'],
        pathNot: '^$1/[^/]+[.]store[.]ts$',
      },
    ),
    forbid(
      'sql-in-stores-only',
      'SQL is described in stores, and in the database platform that runs it.',
      { path: `${src}/`, pathNot: ['[.]store[.]ts$', `${src}/platform/db/`] },
      { path: 'node_modules/(kysely|pg)/' },
    ),
    forbid(
      'engine-in-jobs-only',
      'Everybody else speaks of jobs, queues and schedules; the engine could be another one. One bench holds ours against the engine by itself.',
      {
        path: '^(contract|server|testkit|tests)/',
        pathNot: [`${src}/platform/jobs/`, '^tests/bench/bare-queue(-worker)?[.]ts$'],
      },
      { path: 'node_modules/@dbos-inc/' },
    ),
    forbid(
      'rules-are-pure',
      'Rules, and what events are made of, compute; they do no input or output.',
      { path: '[.](rules|events)[.]ts$' },
      { path: [`${src}/platform/`, '[.](store|routes|jobs)[.]ts$'] },
    ),
    forbid(
      'rules-need-no-library',
      'Rules compute; they do no input or output.',
      { path: '[.]rules[.]ts$' },
      { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: '^contract/' },
    ),
    forbid(
      'contract-stands-alone',
      'The contract imports nothing of ours.',
      { path: '^contract/' },
      { path: '^(server|sdk|cli|dashboard|testkit|tests)/' },
    ),
    forbid(
      'media-stands-alone',
      'Media knows no row, no request and no organization; it imports nothing of ours.',
      { path: '^media/' },
      { path: '^(contract|server|sdk|cli|dashboard|testkit|tests)/' },
    ),
    forbid(
      'player-stands-alone',
      'The player is given an address and nothing else; it imports nothing of ours, and nobody of us imports it.',
      { path: '^player/' },
      { path: '^(contract|media|server|sdk|cli|dashboard|testkit|tests)/' },
    ),
    forbid(
      'sdk-stands-alone',
      'Whoever installs the SDK installs nothing else: what it knows of the contract is generated into it.',
      { path: '^sdk/src/' },
      { path: 'node_modules/' },
    ),
    forbid(
      'sdk-runs-everywhere',
      'What only Node has is in files named so, which browsers and edge runtimes do not get.',
      { path: '^sdk/src/', pathNot: '^sdk/src/platform/node[^/]*[.]ts$' },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'cli-is-a-user-of-the-sdk',
      'It has no way into the service but the one that everybody has.',
      { path: '^cli/src/' },
      { path: '^(contract|media|player|server|testkit|tests)/' },
    ),
    forbid(
      'one-file-starts-processes',
      'What runs beside us is started in one place of media, with its limits; the service starts none. Whoever moves an organization runs the command by which the operator’s router reads its configuration.',
      {
        path: ['^media/src/', `${src}/`],
        pathNot: ['^media/src/sandbox/process[.]ts$', `${src}/cells/move/router-news[.]ts$`],
      },
      { path: '^(node:)?child_process$', dependencyTypes: ['core'] },
    ),
    forbid(
      'tests-are-black-box',
      'The acceptance suite speaks HTTP and knows only the contract and how to start a world.',
      { path: '^tests/acceptance/' },
      { path: '^server/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'tsc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'default'],
      extensions: ['.ts', '.js'],
    },
  },
}
