import { expect, it } from 'vitest'
import { openCommandFixture } from '../../testing/command-fixture.ts'
import { connect } from '../cli.ts'
import { resolveAsset } from './assets/resolve-asset.ts'
import { findByTitle } from './find-by-title.ts'
import { resolveFolder } from './folders/resolve-folder.ts'

const page = (results: readonly object[]) => ({ body: { count: 1, next: null, results } })
const queriesIn = (requests: readonly string[]) =>
  requests.map((call) => new URL(call.slice('GET '.length), 'http://fixture').searchParams.get('q'))

const long = '𝄞'.repeat(255)

it.each([
  ['in decomposed form', 'Cafe\u0301', 'Caf\u00e9', 'Caf\u00e9'],
  ['long', long, long, '𝄞'.repeat(100)],
])('folders and assets are found by a title that is %s', async (_, typed, title, searched) => {
  await using fixture = await openCommandFixture((call) =>
    call === 'GET assets/folders/' ? page([{ uuid: 'f', title }]) : page([{ id: 'a', title }]),
  )
  expect(await resolveFolder(await connect(fixture.cli), typed)).toBe('f')
  expect((await resolveAsset(fixture.cli, `${typed}/${typed}`)).id).toBe('a')
  expect(queriesIn(fixture.requests)).toEqual([searched, searched, searched])
})

it('findByTitle checks a limited number of items, and returns only exact matches', async () => {
  async function* endless() {
    for (let number = 0; ; number++) yield { title: number % 2 ? 'One' : 'one', number }
  }
  const numbers = async (bounds: { countMax: number; checkedMax?: number }) =>
    (await findByTitle('One', endless, bounds)).map(({ number }) => number)
  expect(await numbers({ countMax: 3 })).toEqual([1, 3, 5])
  expect(await numbers({ countMax: 3, checkedMax: 4 })).toEqual([1, 3])
})
