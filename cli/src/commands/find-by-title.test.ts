import { expect, it } from 'vitest'
import { openCommandStand } from '../../testing/command-stand.ts'
import { connect } from '../cli.ts'
import { namedAsset } from './assets/named-asset.ts'
import { findByTitle } from './find-by-title.ts'
import { resolveFolder } from './folders/resolve-folder.ts'

const page = (results: readonly object[]) => ({ body: { count: 1, next: null, results } })
const queriesIn = (heard: readonly string[]) =>
  heard.map((call) => new URL(call.slice('GET '.length), 'http://stand').searchParams.get('q'))

const long = '𝄞'.repeat(255)

it.each([
  ['taken apart', 'Cafe\u0301', 'Caf\u00e9', 'Caf\u00e9'],
  ['long', long, long, '𝄞'.repeat(100)],
])('finds folders and assets by a name that is %s', async (_, typed, title, searched) => {
  await using stand = await openCommandStand((call) =>
    call === 'GET assets/folders/' ? page([{ uuid: 'f', title }]) : page([{ id: 'a', title }]),
  )
  expect(await resolveFolder(await connect(stand.cli), typed)).toBe('f')
  expect((await namedAsset(stand.cli, `${typed}/${typed}`)).id).toBe('a')
  expect(queriesIn(stand.heard)).toEqual([searched, searched, searched])
})

it('looks at no more than it may, and takes nothing that is only similar', async () => {
  async function* endless() {
    for (let number = 0; ; number++) yield { title: number % 2 ? 'One' : 'one', number }
  }
  const numbers = async (bounds: { countMax: number; lookedAtMax?: number }) =>
    (await findByTitle('One', endless, bounds)).map(({ number }) => number)
  expect(await numbers({ countMax: 3 })).toEqual([1, 3, 5])
  expect(await numbers({ countMax: 3, lookedAtMax: 4 })).toEqual([1, 3])
})
