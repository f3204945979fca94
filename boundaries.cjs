// The dependency rules of ARCHITECTURE.md. Imports go down only: main -> cells -> upkeep -> capabilities -> platform
// -> kernel -> contract. tests/architecture/boundaries.test.ts violates each rule once to check that it works.
const src = '^server/src'
const capability = `${src}/capabilities/([^/]+)/`
const isTest = '[.]test[.]ts$'

// Capabilities that may import each other. A capability that is not listed imports none.
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
    forbid('no-cycles', 'Imports must not form a cycle.', {}, { circular: true }),

    forbid(
      'kernel-stands-alone',
      'The kernel imports only the contract.',
      { path: `${src}/kernel/` },
      { path: `${src}/(?!kernel/)` },
    ),
    forbid(
      'platform-knows-no-capability',
      'The platform must not import a capability.',
      { path: `${src}/platform/` },
      { path: capability },
    ),
    forbid(
      'main-is-the-top',
      'Only main composes the service; no other module imports it.',
      { path: '^(contract|server|media)/', pathNot: `${src}/main/` },
      { path: `${src}/main/` },
    ),
    forbid(
      'upkeep-looks-after-all',
      'Work for one capability belongs into it; only main imports work done for all of them.',
      { path: `${src}/(capabilities|platform|kernel)/` },
      { path: `${src}/upkeep/` },
    ),
    forbid(
      'upkeep-comes-by-the-front-door',
      'Storage maintenance must import capabilities through their front doors.',
      { path: `${src}/upkeep/` },
      { path: capability, pathNot: `${src}/capabilities/([^/]+)/\\1[.]ts$` },
    ),
    forbid(
      'cells-are-above-all-of-one',
      'Code inside a cell must not import cell routing.',
      { path: `${src}/(upkeep|capabilities|platform|kernel)/` },
      { path: `${src}/cells/` },
    ),
    forbid(
      'cells-come-by-the-front-door',
      'Organization migration must import capabilities through their front doors.',
      { path: `${src}/cells/` },
      { path: capability, pathNot: `${src}/capabilities/([^/]+)/\\1[.]ts$` },
    ),
    forbid(
      'front-door-only',
      "Other capabilities import only the file that has the capability's name; routes and events may also import its wire file.",
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
      'Only routes, events and other wire files import wire formats.',
      { path: `${src}/`, pathNot: '[.](routes|wire|events)[.]ts$' },
      { path: '[.]wire[.]ts$' },
    ),
    forbid(
      'capabilities-enter-in-order',
      'The allowed imports between capabilities are listed at the top of this file.',
      { path: capability, pathNot: `${src}/capabilities/(${listed.join('|')})/` },
      { path: capability, pathNot: `${src}/capabilities/$1/` },
    ),
    ...entries.map(([from, to]) =>
      forbid(
        `${from}-enters-only-${to.join('-')}`,
        'The allowed imports between capabilities are listed at the top of this file.',
        { path: `${src}/capabilities/${from}/` },
        { path: capability, pathNot: `${src}/capabilities/(${[from, ...to].join('|')})/` },
      ),
    ),
    forbid(
      'routes-call-the-front-door',
      'Routes and jobs import only the front door.',
      { path: '[.](routes|jobs)[.]ts$' },
      { path: '[.]store[.]ts$' },
    ),
    forbid(
      'stores-speak-sql-only',
      'A store contains SQL: it does not decide, respond or enqueue. It may use another store of its folder.',
      { path: '^(.+)/[^/]+[.]store[.]ts$' },
      {
        path: [`${src}/platform/(?!db/)`, '[.](routes|jobs)[.]ts$'],
        pathNot: '^$1/[^/]+[.]store[.]ts$',
      },
    ),
    forbid(
      'sql-in-stores-only',
      'SQL belongs into stores, and into the database platform that runs it.',
      { path: `${src}/`, pathNot: ['[.]store[.]ts$', `${src}/platform/db/`] },
      { path: 'node_modules/(kysely|pg)/' },
    ),
    forbid(
      'engine-in-jobs-only',
      'Only platform/jobs imports the job engine, so it can be replaced. One benchmark compares ours with the engine alone.',
      {
        path: '^(contract|server|testkit|tests)/',
        pathNot: [`${src}/platform/jobs/`, '^tests/bench/bare-queue(-worker)?[.]ts$'],
      },
      { path: 'node_modules/@dbos-inc/' },
    ),
    forbid(
      'rules-are-pure',
      'Rules and event builders are pure: no input or output.',
      { path: '[.](rules|events)[.]ts$' },
      { path: [`${src}/platform/`, '[.](store|routes|jobs)[.]ts$'] },
    ),
    forbid(
      'rules-need-no-library',
      'Rules are pure: no input or output.',
      { path: '[.]rules[.]ts$' },
      { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: '^contract/' },
    ),
    forbid(
      'contract-stands-alone',
      'The contract imports none of our packages.',
      { path: '^contract/' },
      { path: '^(server|sdk|cli|dashboard|testkit|tests)/' },
    ),
    forbid(
      'media-stands-alone',
      'Media processing is independent of rows, requests and organizations; it imports none of our packages.',
      { path: '^media/' },
      { path: '^(contract|server|sdk|cli|dashboard|testkit|tests)/' },
    ),
    forbid(
      'player-stands-alone',
      'The player gets an address and nothing else; it imports none of our packages, and none imports it.',
      { path: '^player/' },
      { path: '^(contract|media|server|sdk|cli|dashboard|testkit|tests)/' },
    ),
    forbid(
      'sdk-stands-alone',
      'The SDK has no dependencies: its part of the contract is generated.',
      { path: '^sdk/src/' },
      { path: 'node_modules/' },
    ),
    forbid(
      'sdk-runs-everywhere',
      'Code that needs Node is in files named so, which browsers and edge runtimes do not get.',
      { path: '^sdk/src/', pathNot: '^sdk/src/platform/node[^/]*[.]ts$' },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'cli-is-a-user-of-the-sdk',
      'The CLI uses the public API only.',
      { path: '^cli/src/' },
      { path: '^(contract|media|player|server|testkit|tests)/' },
    ),
    forbid(
      'one-file-starts-processes',
      "Child processes are started in one file of media, with limits, and not by the service. Exception: organization migration runs the operator's reload command of the router.",
      {
        path: ['^media/src/', `${src}/`],
        pathNot: ['^media/src/sandbox/process[.]ts$', `${src}/cells/move/router-news[.]ts$`],
      },
      { path: '^(node:)?child_process$', dependencyTypes: ['core'] },
    ),
    forbid(
      'tests-are-black-box',
      'The acceptance suite uses HTTP, and imports only the contract and the test kit.',
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
