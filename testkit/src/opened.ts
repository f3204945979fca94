import { afterAll } from 'vitest'

/** Opens a resource for the tests of a file, and closes it after the last of them. */
export async function opened<Thing extends AsyncDisposable>(
  opening: Promise<Thing>,
): Promise<Thing> {
  const thing = await opening
  afterAll(() => thing[Symbol.asyncDispose]())
  return thing
}
