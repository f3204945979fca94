import { afterAll } from 'vitest'

/** Opens a resource for the tests of a file, and closes it after the last of them. */
export async function opened<Resource extends AsyncDisposable>(opening: Promise<Resource>): Promise<Resource> {
  const resource = await opening
  afterAll(() => resource[Symbol.asyncDispose]())
  return resource
}
