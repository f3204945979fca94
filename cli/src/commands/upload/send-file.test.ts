import { expect, it } from 'vitest'
import { refusal } from '../../../testing/command-stand.ts'
import { openParcelStand } from '../../../testing/parcel-stand.ts'
import { sendFile } from './send-file.ts'

it('begins anew when the asset of what was sent before has been deleted', async () => {
  await using stand = await openParcelStand((call) => {
    if (call === 'GET assets/upload-sessions/old/') return { body: { status: 'Completed' } }
    if (call === 'GET assets/upload-sessions/old/parts/') return refusal(409, 'not_in_parts')
    if (call === 'POST assets/upload-sessions/old/complete/')
      return { body: { status: 'Completed', asset_id: 'gone' } }
    if (call === 'GET assets/gone/') return refusal(404, 'asset_not_found')
    return refusal(403, 'begun_anew')
  })
  const { parcel, sending, identity, notes } = stand
  await sending.memory.remember(identity, { sessionUuid: 'old' })
  await expect(sendFile(parcel, sending)).rejects.toMatchObject({ code: 'begun_anew' })
  expect(notes.at(-1)).toBe('cannot go on with what was sent before; it begins anew.')
  expect(await sending.memory.find(identity)).toBeUndefined()
})
