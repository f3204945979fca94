import type { Sandbox } from '../sandbox/sandbox.ts'
import { inside } from '../sandbox/task.ts'

/** Where a program finds the directory that it may write to. */
export const seenFromInside = ({ mode }: Pick<Sandbox, 'mode'>, directory: string) =>
  mode === 'bubblewrap' ? inside.output : directory
