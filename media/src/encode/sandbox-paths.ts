import type { Sandbox } from '../sandbox/sandbox.ts'
import { sandboxPaths } from '../sandbox/task.ts'

/** Path of the output directory for the program: in mode `bubblewrap`, the path inside the sandbox. */
export const outputPath = ({ mode }: Pick<Sandbox, 'mode'>, directory: string) =>
  mode === 'bubblewrap' ? sandboxPaths.output : directory
