import { expect, it } from 'vitest'
import { cellFamily, families } from './families.ts'

it('every admin command that is listed in the usage exists', async () => {
  for (const { usage, find } of [...families, cellFamily])
    for (const [, name = ''] of usage.matchAll(/^ {2}([a-z-]+)/gm))
      expect(await find(name), name).toBeTypeOf('function')
})
