import { expect, it } from 'vitest'
import { openCommandStand } from '../../../testing/command-stand.ts'
import { buildProgram } from '../../program.ts'

const asset = '00000000-0000-4000-8000-000000000000'

it.each(['9:99', '61:00', '1:60:00', '4', '4:3', 'soon'])(
  'adds no chapter at %s, and says what a time is',
  async (start) => {
    await using stand = await openCommandStand(() => ({ body: { results: [] } }))
    await expect(
      stand.run(buildProgram, 'chapters', 'add', asset, start, 'Questions'),
    ).rejects.toThrow('It is not a time, such as 1:02:03 or 4:30.')
    expect(stand.heard).toEqual([])
  },
)
