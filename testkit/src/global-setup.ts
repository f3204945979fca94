import { judged } from './settings.ts'
import { resetDatabase, startStack } from './stack.ts'
import { setUpUploads } from './storage.ts'

/** Before the first test: the real servers run, and the database is empty and up to date, the bucket is there. */
export async function setup(): Promise<void> {
  if (judged.baseUrl) return
  const env = await startStack()
  await Promise.all([resetDatabase(env), setUpUploads(env)])
}
