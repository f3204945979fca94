import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { buildProgram } from '../../program.ts'

const asset = '00000000-0000-4000-8000-000000000000'

it.each(['9:99', '61:00', '1:60:00', '4:3', '4.5', '-4', '360000', 'soon'])(
  'chapters add rejects the start time %s',
  async (start) => {
    await using fixture = await openCommandFixture(() => ({ body: { results: [] } }))
    await expect(fixture.run(buildProgram, 'chapters', 'add', asset, '--', start, 'Questions')).rejects.toThrow(
      'Must be a time, such as 1:02:03 or 4:30, or seconds, such as 45.',
    )
    expect(fixture.requests).toEqual([])
  },
)

it.each([
  ['0', '00:00:00'],
  ['45', '00:00:45'],
  ['3723', '01:02:03'],
  ['359999', '99:59:59'],
  ['4:30', '00:04:30'],
  ['1:02:03', '01:02:03'],
])('chapters add sends the start time %s as %s', async (start, sent) => {
  await using fixture = await openCommandFixture(() => ({ body: { results: [] } }))
  await fixture.run(buildProgram, 'chapters', 'add', asset, start, 'Questions')
  expect(fixture.bodies).toEqual([{ chapters: [{ title: 'Questions', start_time: sent }] }])
})
