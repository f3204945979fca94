import { expect, it } from 'vitest'
import { problemResponse } from '../../../testing/command-fixture.ts'
import { openFileUploadFixture } from '../../../testing/file-upload-fixture.ts'
import { sendFile } from './send-file.ts'

it('sendFile starts again if the asset of the earlier upload was deleted', async () => {
  await using fixture = await openFileUploadFixture((call) => {
    if (call === 'GET assets/upload-sessions/old/') return { body: { status: 'Completed' } }
    if (call === 'GET assets/upload-sessions/old/parts/') return problemResponse(409, 'not_in_parts')
    if (call === 'POST assets/upload-sessions/old/complete/') return { body: { status: 'Completed', asset_id: 'gone' } }
    if (call === 'GET assets/gone/') return problemResponse(404, 'asset_not_found')
    return problemResponse(403, 'started_again')
  })
  const { upload, context, identity, notes } = fixture
  await context.unfinishedUploads.save(identity, { sessionUuid: 'old' })
  await expect(sendFile(upload, context)).rejects.toMatchObject({ code: 'started_again' })
  expect(notes.at(-1)).toBe('cannot resume the earlier upload; starting again.')
  expect(await context.unfinishedUploads.find(identity)).toBeUndefined()
})
