import type { EventType } from './events.ts'

/** When each kind of event is told, for the reference. */
export const eventMeanings: Record<EventType, string> = {
  'upload_session.created': 'An upload session was created; its asset comes with it.',
  'upload_session.completed': 'The file has arrived and is pinned.',
  'upload_session.expired': 'No file came in time.',
  'upload_session.cancelled': 'The session was cancelled.',
  'upload_session.failed': 'What came cannot be taken; `error` says why.',
  'asset.created': 'The asset exists, with the session that its file is awaited by.',
  'asset.queued': 'The file waits for a worker, after its upload or a retry.',
  'asset.processing': 'A worker has begun.',
  'asset.playable': 'Its beginning can be watched; the rest follows.',
  'asset.completed': 'All is made.',
  'asset.failed': 'It cannot be made; `error` says why.',
  'asset.cancelled': 'Its processing was cancelled.',
  'asset.updated': 'It was renamed or moved.',
  'asset.deleted': 'It was deleted, alone or with its folder; so it was at the end.',
  'rendition.completed': 'A rendition is whole.',
  'rendition.failed': 'A rendition cannot be made.',
  'chapter.created': 'Chapters were added, by a caller or because they stood in the file.',
  'chapter.updated': 'Chapters were changed.',
  'chapter.deleted': 'Chapters were removed; so they were.',
  'subtitle.created': 'A subtitle track was uploaded, generated or carried over from the file.',
  'subtitle.deleted': 'A subtitle track was deleted.',
  'folder.created': 'A folder was created.',
  'folder.updated': 'A folder was renamed or moved.',
  'folder.deleted': 'A folder was deleted, alone or with the one that it lay in.',
  'token.created': 'An API token was created.',
  'token.rotated':
    'An API token was rotated: this one ends with its overlap, and the new one is told of as created.',
  'token.revoked': 'An API token was revoked.',
  'webhook.disabled':
    'A webhook is told nothing more: it failed for too long, or said that it is gone.',
  'webhook.test': 'Somebody asked for a test; of all webhooks only that one is told.',
}
