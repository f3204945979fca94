import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { buildProgram } from '../../program.ts'

const asset = '00000000-0000-4000-8000-000000000000'

it.each(['9:99', '61:00', '1:60:00', '4:3', '4.', '4.5555', '-4', '360000', 'soon'])(
  'chapters add rejects the start time %s',
  async (start) => {
    await using fixture = await openCommandFixture(() => ({ body: { results: [] } }))
    await expect(fixture.run(buildProgram, 'chapters', 'add', asset, '--', start, 'Questions')).rejects.toThrow(
      'Must be a time, such as 1:02:03 or 4:30.5, or seconds, such as 45.',
    )
    expect(fixture.requests).toEqual([])
  },
)

it.each([
  ['0', 0],
  ['45', 45],
  ['4.5', 4.5],
  ['359999.999', 359_999.999],
  ['4:30', 270],
  ['1:02:03.1', 3723.1],
])('chapters add sends the start time %s as %d seconds', async (start, sent) => {
  await using fixture = await openCommandFixture(() => ({ body: { results: [] } }))
  await fixture.run(buildProgram, 'chapters', 'add', asset, start, 'Questions')
  expect(fixture.bodies).toEqual([{ chapters: [{ title: 'Questions', start_seconds: sent }] }])
})
