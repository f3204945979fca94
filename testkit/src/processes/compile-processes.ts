/**
 * Bundles the processes that the tests start hundreds of times. The image has bundles of the service too. The README
 * test, `*.long.test.ts`, faults and drills start the sources.
 */
import { join } from 'node:path'
import { bundle } from '@reelkeep/server/bundle/bundle.ts'
import { externalService, root, setCompiledProcesses, stackEnvironment } from '../settings.ts'

/** Entry points that are often started as a process. Everything else is started from its source. */
const entries = [
  'cli/src/main.ts',
  'server/src/main/api.ts',
  'server/src/main/worker.ts',
  'tools/faults/pipeline/pipeline-worker.ts',
  'tests/service/jobs/jobs-worker.ts',
  'tests/service/pipeline/stages-worker.ts',
]

/** Runs before the first test. The environment passes the folder of the bundles to the code that starts processes. */
export async function setup(): Promise<void> {
  if (externalService.baseUrl) return
  const folder = join(root, '.stack', stackEnvironment.STACK_NAME, 'processes')
  await bundle({ entries, folder })
  setCompiledProcesses(folder)
}
