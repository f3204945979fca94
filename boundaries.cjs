// The dependency rules of ARCHITECTURE.md. Imports go down only: main -> cells, diagnostics -> maintenance -> modules
// -> platform -> kernel -> contract. tests/architecture/boundaries.test.ts violates each rule once.
const src = '^server/src'
const modules = `${src}/modules/([^/]+)/`
const isTest = '[.]test[.]ts$'

// Modules that may import each other. A module that is not listed imports none.
const allowedImports = {
  audit: ['events'],
  organizations: ['events'],
  'organization-deletion': ['suspension'],
  quotas: ['events'],
  usage: ['quotas'],
  folders: ['events', 'organizations'],
  tokens: ['events', 'grants'],
  roles: ['events', 'grants', 'tokens'],
  members: ['events', 'folders', 'grants', 'roles', 'tokens'],
  invitations: ['events', 'folders', 'grants', 'members', 'organizations', 'roles', 'tokens'],
  webhooks: ['events', 'grants'],
  'signing-keys': ['grants'],
  sessions: ['grants', 'tokens'],
  'sign-in': ['grants', 'invitations', 'members', 'organizations', 'roles', 'sessions', 'tokens'],
  'webhook-dispatch': ['events', 'webhooks'],
  'event-stream': ['events'],
  assets: ['events', 'folders', 'grants', 'organizations', 'published-files'],
  trash: ['assets', 'folders'],
  'bulk-operations': ['assets', 'folders', 'grants', 'pipeline'],
  'content-keys': ['assets'],
  renditions: ['assets', 'events'],
  pipeline: ['assets', 'chapters', 'content-keys', 'events', 'published-files', 'renditions', 'subtitles'],
  'upload-sessions': ['assets', 'events', 'grants', 'pipeline', 'quotas', 'tokens', 'versions'],
  versions: ['assets', 'events', 'pipeline', 'published-files', 'subtitles'],
  chapters: ['assets', 'events', 'moments'],
  clips: ['assets', 'chapters', 'events', 'quotas', 'renditions', 'subtitles'],
  subtitles: ['assets', 'events', 'moments', 'published-files'],
  search: ['assets', 'folders'],
  'playback-tokens': ['assets', 'grants', 'signing-keys'],
  embedding: ['assets', 'organizations'],
  playback: ['assets', 'chapters', 'content-keys', 'playback-tokens', 'published-files', 'subtitles'],
}

const forbid = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { ...from, pathNot: [isTest, ...[from.pathNot ?? []].flat()] },
  to,
})

const entries = Object.entries(allowedImports)
const listed = entries.map(([from]) => from)

module.exports = {
  forbidden: [
    forbid('no-cycles', 'Imports must not form a cycle.', {}, { circular: true }),

    forbid(
      'kernel-imports-contract-only',
      'The kernel imports only the contract.',
      { path: `${src}/kernel/` },
      { path: `${src}/(?!kernel/)` },
    ),
    forbid(
      'platform-imports-no-module',
      'The platform must not import a module.',
      { path: `${src}/platform/` },
      { path: modules },
    ),
    forbid(
      'only-main-imports-main',
      'Only main composes the service; no other module imports it.',
      { path: '^(contract|server|media)/', pathNot: `${src}/main/` },
      { path: `${src}/main/` },
    ),
    forbid(
      'modules-import-no-maintenance',
      'Work for one module belongs into it; only main imports work done for all of them.',
      { path: `${src}/(modules|platform|kernel)/` },
      { path: `${src}/maintenance/` },
    ),
    forbid(
      'maintenance-uses-front-doors',
      'Storage maintenance must import modules through their front doors.',
      { path: `${src}/maintenance/` },
      { path: modules, pathNot: `${src}/modules/([^/]+)/\\1[.]ts$` },
    ),
    forbid(
      'only-main-imports-diagnostics',
      'Diagnostics check the whole service; only main imports them.',
      { path: `${src}/(cells|maintenance|modules|platform|kernel)/` },
      { path: `${src}/diagnostics/` },
    ),
    forbid(
      'diagnostics-use-front-doors',
      'Diagnostics import modules through their front doors and rules.',
      { path: `${src}/diagnostics/` },
      { path: modules, pathNot: [`${src}/modules/([^/]+)/\\1[.]ts$`, '[.]rules[.]ts$'] },
    ),
    forbid(
      'config-imports-no-platform',
      'Settings are read before anything else exists: config imports nothing of the platform but the network notation.',
      { path: `${src}/platform/config/` },
      { path: `${src}/platform/(?!config/|network/)` },
    ),
    forbid(
      'http-imports-no-jobs',
      'Requests and jobs are independent.',
      { path: `${src}/platform/http/` },
      { path: `${src}/platform/jobs/` },
    ),
    forbid(
      'cells-are-above-modules',
      'Code inside a cell must not import cell routing.',
      { path: `${src}/(diagnostics|maintenance|modules|platform|kernel)/` },
      { path: `${src}/cells/` },
    ),
    forbid(
      'cells-use-front-doors',
      'Organization migration must import modules through their front doors.',
      { path: `${src}/cells/` },
      { path: modules, pathNot: `${src}/modules/([^/]+)/\\1[.]ts$` },
    ),
    forbid(
      'front-door-only',
      "Other modules import only the file that has the module's name; routes and events may also import its wire file.",
      { path: modules },
      {
        path: modules,
        pathNot: [`${src}/modules/$1/`, `${src}/modules/([^/]+)/\\1[.]ts$`, '[.]wire[.]ts$'],
      },
    ),
    forbid(
      'wire-files-are-for-the-wire',
      'Only routes, events and other wire files import wire formats.',
      { path: `${src}/`, pathNot: '[.](routes|wire|events)[.]ts$' },
      { path: '[.]wire[.]ts$' },
    ),
    forbid(
      'unlisted-modules-import-none',
      'The allowed imports between modules are listed at the top of this file.',
      { path: modules, pathNot: `${src}/modules/(${listed.join('|')})/` },
      { path: modules, pathNot: `${src}/modules/$1/` },
    ),
    ...entries.map(([from, to]) =>
      forbid(
        `${from}-imports-only-${to.join('-')}`,
        'The allowed imports between modules are listed at the top of this file.',
        { path: `${src}/modules/${from}/` },
        { path: modules, pathNot: `${src}/modules/(${[from, ...to].join('|')})/` },
      ),
    ),
    forbid(
      'routes-call-the-front-door',
      'Routes and jobs import only the front door.',
      { path: '[.](routes|jobs)[.]ts$' },
      { path: '[.]store[.]ts$' },
    ),
    forbid(
      'stores-contain-sql-only',
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
      'engine-in-its-adapter-only',
      'Only platform/jobs/engine imports the job engine, so it can be replaced. One benchmark compares ours with the engine alone.',
      {
        path: '^(contract|server|testkit|tests|tools)/',
        pathNot: [`${src}/platform/jobs/engine/`, '^tools/bench/baselines/bare-queue(-worker)?[.]ts$'],
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
      'dashboard-is-a-user-of-the-api',
      'The dashboard uses the public API only.',
      { path: '^dashboard/src/' },
      { path: '^(cli|contract|media|player|server|testkit|tests)/' },
    ),
    forbid(
      'dashboard-components-import-no-page',
      'Components of the dashboard are independent of pages and requests.',
      { path: '^dashboard/src/ui/' },
      { path: '^dashboard/src/(api|app|pages)/' },
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
        pathNot: ['^media/src/sandbox/process[.]ts$', `${src}/cells/move/router-update[.]ts$`],
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
      extensions: ['.ts', '.tsx', '.js'],
    },
  },
}
