import type { Sandbox } from '../sandbox/sandbox.ts'
import { sandboxPaths } from '../sandbox/task.ts'

/** The output directory as seen by the program. */
export const outputPath = ({ mode }: Pick<Sandbox, 'mode'>, directory: string) =>
  mode === 'bubblewrap' ? sandboxPaths.output : directory
