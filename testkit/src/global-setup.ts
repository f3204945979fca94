import { judged } from './settings.ts'
import { resetDatabase, startStack } from './stack.ts'

/** Before the first test: the real servers run, and the database is empty and up to date. */
export async function setup(): Promise<void> {
  if (judged.baseUrl) return
  await resetDatabase(await startStack())
}
