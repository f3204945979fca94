/** The samples of the start page. `tests/docs/guides.int.test.ts` runs them. */
import type { Sample } from './samples.ts'

export const startSamples: readonly Sample[] = [
  {
    label: 'CLI',
    language: 'bash',
    code: `reelkeep upload lecture.mp4 --title "My first video" --watch
reelkeep assets link "My first video" --viewer customer-42 --expires-in 3600`,
  },
  {
    label: 'TypeScript',
    language: 'ts',
    code: `import { Reelkeep } from 'reelkeep'

const client = new Reelkeep()
const { id } = await client.uploads.send('lecture.mp4', { resolutions: ['360p', '720p'] })
await client.assets.waitUntilPlayable(id)
const { playback_url } = await client.accessTokens.create(id, { viewer_id: 'customer-42' })
console.log(playback_url)`,
  },
  {
    label: 'curl',
    language: 'bash',
    code: `curl --fail-with-body "$REELKEEP_URL/api/v1/$REELKEEP_ORGANIZATION/assets/upload-sessions/" \\
  -H "Authorization: Bearer $REELKEEP_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"title": "Lecture 1", "resolutions": ["360p", "720p"]}'`,
  },
]
