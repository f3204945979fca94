import { chmodSync, cpSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createHostileCorpus } from '@reelkeep/media/hostile'
import { root } from '@reelkeep/testkit'
import type { DrillReport } from '../support/drill-report.ts'
import type { Engine } from './engine.ts'

const CORPUS = '/tmp/corpus'
/** One file in five: about a hundred of every kind. */
const STEP = 5

/** Confinement of a worker in both Compose files. */
const confinement = [
  '--read-only',
  '--tmpfs=/tmp',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  `--security-opt=seccomp=${join(root, 'deploy/docker/worker-seccomp.json')}`,
  '--user=10001:10001',
]

/** Probes hostile files inside the image, confined like a worker. */
export async function probeHostileFiles(engine: Engine, report: DrillReport, image: string): Promise<void> {
  using corpus = mkdtempDisposableSync(join(tmpdir(), 'reelkeep-corpus-'))
  cpSync(dirname((await createHostileCorpus())[0]?.path ?? ''), corpus.path, { recursive: true })
  // The cache belongs to the user of the tests alone; the container has another user.
  chmodSync(corpus.path, 0o755)
  const code = ['hostile', 'testing'].map(
    (name) => `--volume=${join(root, 'media', name)}:/opt/reelkeep/media/${name}:ro`,
  )
  const program = ['media/hostile/check-corpus.ts', CORPUS, String(STEP)]
  const run = [
    'run',
    '--rm',
    ...confinement,
    ...code,
    `--volume=${corpus.path}:${CORPUS}:ro`,
    '--entrypoint=node',
    image,
  ]
  const output = await engine.podman(...run, ...program).catch((error: Error & { stderr?: string }) => error)
  const isPassed = typeof output === 'string'
  const count = isPassed ? output.split('\n', 1)[0] : 'failed'
  report.check('hostile files in the sandbox inside the container, 0 escapes', `${count}`, {
    isPassed,
    details: [String(isPassed ? '' : output.stderr)],
  })
}
