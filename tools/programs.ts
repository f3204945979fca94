/**
 * The benches, fault suites and drills: programs that are run by name (`pnpm bench api`), each on a stack of its own.
 * `pnpm long` runs them at full length.
 */
export type Kind = 'bench' | 'faults' | 'drill'

export type Program = {
  /** Command line from the root of the repository. */
  readonly command: readonly string[]
  /** Settings of its stack. TEST_STACK_NAME and TEST_STACK_PORT in the environment take precedence. */
  readonly stack?: Readonly<Record<string, string>>
  /** What the program measures or tests, in one line. */
  readonly summary: string
}

const stackOf = (name: string, port: number, more: Record<string, string> = {}) => ({
  TEST_STACK_NAME: name,
  TEST_STACK_PORT: String(port),
  ...more,
})

const programIn =
  (folder: string) =>
  (name: string, summary: string, stack: Record<string, string>): Program => ({
    command: ['node', `tools/${folder}/${name}.ts`],
    stack,
    summary,
  })
const bench = (name: string, summary: string) =>
  programIn('bench')(name, summary, stackOf('bench', 8400, { STACK_SHARED_BUFFERS: '4GB' }))
const faults = programIn('faults')
const drill = programIn('drills')

const oneOsd = { STACK_OSDS: '1' }

export const programs: Readonly<Record<Kind, Readonly<Record<string, Program>>>> = {
  bench: {
    api: bench('api', 'requests per second and CPU of folder operations against a bare server'),
    audit: bench('audit/audit', 'seconds to seal, export and verify an audit log of a million entries'),
    'sign-in': bench('sign-in/sign-in', '10,000 guesses of a password, and response times of unknown accounts'),
    sessions: bench('sessions', 'creation of upload sessions against a bare server'),
    uploads: bench('uploads', 'uploads through a session against the same form without the service'),
    hostile: bench('hostile/hostile', 'delays of other organizations while ten send the costliest requests'),
    cli: {
      command: ['node', 'tools/bench/processes/cli.ts'],
      summary: 'CPU time of a start of the CLI against Node alone',
    },
    start: bench('processes/start', 'seconds until the API is ready, from its sources and as in the image'),
    idle: bench('processes/idle', 'share of a core that an installation uses without requests and jobs'),
    sdk: bench('sdk', 'uploads of the SDK against curl and the AWS SDK'),
    probe: bench('probe', 'bytes read and seconds needed to probe a file of 2 GiB'),
    delivery: bench(
      'delivery/delivery',
      'delivery of media against a bare relay and nginx alone, and the hit ratio of the edge',
    ),
    downloads: bench('media/downloads', 'time until the first byte and CPU time of MP4 downloads'),
    webhooks: bench('webhooks', 'delays and cost of webhook deliveries'),
    pipeline: bench('pipeline', "pipeline steps against the engine's own queue, and the cost of a backlog"),
    media: bench('media', 'encoding against ffmpeg alone; about twenty minutes on a quiet machine'),
    assets: bench('assets/assets', 'asset lists with every order and filter, from ten thousand to ten million assets'),
    peers: bench('peers/peers', 'operations per CPU second against supabase/storage and a plain Express service'),
    bulk: bench('bulk/bulk', 'bulk operations on 100,000 assets, beside another organization and with a killed worker'),
    folders: bench('folders', 'folder queries from a thousand to ten million folders'),
    dashboard: bench('dashboard/dashboard', 'the library in Chromium with 100,000 assets and 10,000 folders'),
    'dashboard-status': bench(
      'dashboard/status',
      'time until the library shows a changed status, for 200 assets at once',
    ),
    search: bench(
      'search/search',
      'searches among a million moments beside a thousand organizations, and the delay of changes',
    ),
    'search-quality': bench(
      'search-quality/search-quality',
      'labeled searches in spoken videos: right video, right second, by mode',
    ),
    clips: bench(
      'media/clips',
      'response times of clips and trims of a video of two hours, and the jobs that they need',
    ),
    render: {
      command: ['node', 'media/testing/measure/measure-render.ts'],
      summary: 'CPU time of rendering a part of a video against that of encoding one segment',
    },
    waveforms: {
      command: ['node', 'media/testing/measure/measure-waveforms.ts'],
      summary: 'CPU time of the waveform of a ten-hour video against that of its encoding',
    },
    transcripts: {
      command: ['node', 'media/testing/measure/measure-transcripts.ts'],
      summary: 'word error rate and speed of the built-in transcriber',
    },
  },
  faults: {
    uploads: faults(
      'uploads',
      'API killed between every two steps of a completion, then 200 random schedules',
      stackOf('faults', 8600, { STACK_OSDS: '3' }),
    ),
    'large-upload': faults(
      'large-upload',
      'a file of 6 GiB in parts, interrupted twice and resumed',
      stackOf('faults', 8600, oneOsd),
    ),
    'cli-upload': faults(
      'cli-upload',
      'a file of 2 GiB by the CLI over a connection that is cut three times, and with Ctrl-C',
      stackOf('faults-cli', 8900, oneOsd),
    ),
    'dashboard-uploads': {
      command: ['node', 'tests/browser/dashboard/faults/upload-faults.ts'],
      stack: stackOf('faults-dashboard', 9600, { ...oneOsd, STACK_OSD_SIZE: '40G' }),
      summary: '200 files, 20 GB, dropped on the dashboard; the tab is killed 20 times, the connection cut 10 times',
    },
    pipeline: faults(
      'pipeline',
      'workers killed, frozen and stopped under 300 videos, with outages of Postgres and storage',
      stackOf('faults-pipeline', 8700, oneOsd),
    ),
    mix: faults(
      'mix',
      'all kinds of faults in one random schedule under load, then every invariant; needs root',
      stackOf('faults-mix', 9700, { STACK_OSDS: '3', STACK_POSTGRES_CLOCK: 'settable' }),
    ),
    soak: faults(
      'soak',
      'constant load without faults: the slopes of memory, rows and objects',
      stackOf('faults-soak', 9800, oneOsd),
    ),
    events: faults(
      'events',
      '200 random schedules of changes with API and workers killed and failing webhook receivers',
      stackOf('faults-events', 8800, oneOsd),
    ),
    promote: faults(
      'promote',
      'a standby of Postgres promoted under load, with synchronous and asynchronous replication',
      stackOf('faults-promote', 10_000),
    ),
    scrub: faults(
      'scrub',
      '100 published segments damaged or deleted behind the service, found by one scrub and repaired',
      stackOf('faults-scrub', 9900, oneOsd),
    ),
    trash: faults(
      'trash',
      '300 random schedules of deletions, restores, purges and legal holds with API and workers killed',
      stackOf('faults-trash', 8500, oneOsd),
    ),
  },
  drill: {
    roll: drill(
      'roll',
      'restart, upgrade, downgrade and secret rotation of a service in use',
      stackOf('drill-roll', 9400, oneOsd),
    ),
    restore: drill(
      'restore',
      'a service in use is destroyed and restored from its backups, twice',
      stackOf('drill-restore', 9000, oneOsd),
    ),
    move: drill('move', 'an organization in use is moved to another cell and back', stackOf('drill-move', 9200)),
    containers: {
      command: ['node', 'tools/drills/containers.ts'],
      summary: 'builds the images, and runs compose.yaml from the first start to an upgrade',
    },
  },
}
