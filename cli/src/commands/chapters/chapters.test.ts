import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { buildProgram } from '../../program.ts'

const asset = '00000000-0000-4000-8000-000000000000'

it.each(['9:99', '61:00', '1:60:00', '4', '4:3', 'soon'])('chapters add rejects the start time %s', async (start) => {
  await using fixture = await openCommandFixture(() => ({ body: { results: [] } }))
  await expect(fixture.run(buildProgram, 'chapters', 'add', asset, start, 'Questions')).rejects.toThrow(
    'Must be a time, such as 1:02:03 or 4:30.',
  )
  expect(fixture.requests).toEqual([])
})
