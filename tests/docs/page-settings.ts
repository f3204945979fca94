/** What the samples of each page need, and the pages whose samples guides.int.test.ts does not run. */
import type { PageSettings } from './page-script.ts'

/** Pages whose samples are run elsewhere, or not at all, and the reason. */
export const notRunHere: Readonly<Record<string, string>> = {
  'README.md': 'needs a container engine; run by pnpm drill containers, with podman',
  'docs/guides/curl.md': 'run by tests/native-start',
  ...Object.fromEntries(
    ['backup', 'cells', 'deploying', 'doctor', 'rotation', 'runbook', 'running', 'storage', 'upgrading'].map((page) => [
      `docs/operations/${page}.md`,
      'not run: changes a whole deployment. docs/operations/README.md lists what was run by hand or by a drill',
    ]),
  ),
}

/** The variables that the curl quickstart sets. */
const CURL = `
api="$REELKEEP_URL/api/v1/$REELKEEP_ORGANIZATION"
json='Content-Type: application/json'
auth="Authorization: Bearer $REELKEEP_TOKEN"
asset=$ASSET_ID
`

const field = (name: string) => `node -p 'JSON.parse(fs.readFileSync(0)).${name}'`

const UPLOAD = `asset=$(reelkeep upload lecture.mp4 --title Fresh --no-resume --json | ${field('asset.id')})`

/** A webhook with one delivery. */
const WEBHOOK = `
created=$(curl -sf "$api/webhooks/" -H "$auth" -H "$json" -d '{"url": "http://127.0.0.1:9/"}')
webhook=$(echo "$created" | ${field('id')})
delivery=$(curl -sf -X POST "$api/webhooks/$webhook/test/" -H "$auth" | ${field('event_id')})
`

/** Writes events until the end of the page: a stream starts with the events after its connection. */
const WRITE_EVENTS = `
while sleep 0.5; do
  curl -sf -o /dev/null "$api/assets/folders/" -H "$auth" -H "$json" -d "{\\"title\\": \\"Events $RANDOM\\"}"
done &
`

const SIGNING_KEY = `
key=$(curl -sf "$api/signing-keys/" -H "$auth" -H "$json" -d '{"name": "Samples"}')
export SIGNING_KEY="$(echo "$key" | ${field('private_key')})" SIGNING_KEY_ID="$(echo "$key" | ${field('id')})"
export PLAYBACK_URL="$REELKEEP_URL/play" ORGANIZATION=$REELKEEP_ORGANIZATION
`

const ASSET_PLACEHOLDER = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'

type Given = { readonly assetId: string; readonly ports: readonly string[] }

/** `ports` are free ports, in place of those that the pages use. */
export const settingsOf = ({ assetId, ports: [first = '', second = '', third = '', fourth = ''] }: Given) =>
  ({
    'docs/guides/cli.md': {
      setup: `echo "$REELKEEP_TOKEN" >token; cp lecture.mp4 talk.mov; mkdir -p Lectures/2026; cp lecture.mp4 Lectures/2026/
printf 'WEBVTT\\n\\n00:00.000 --> 00:20.000\\nWelcome\\n' >chapters.vtt; echo '0:30 Interview' >description.txt`,
    },
    'docs/guides/chapters.md': {
      setup: `${CURL}\nprintf 'WEBVTT\\n\\n00:05.000 --> 00:20.000\\nWelcome\\n' >chapters.vtt`,
    },
    'docs/guides/events.md': { setup: CURL, before: { 'import { follow }': WRITE_EVENTS } },
    'docs/guides/subtitles.md': {
      setup: `${CURL}\nprintf '1\\n00:00:01,000 --> 00:00:02,000\\nGood morning.\\n' >talk.srt`,
    },
    'docs/guides/processing.md': {
      setup: CURL,
      // Cancelling needs a video that is being processed.
      before: { 'curl -s -X POST "$api/assets/$asset/cancel/"': UPLOAD },
    },
    'docs/guides/uploading.md': {
      setup: CURL,
      replace: { 3000: fourth },
      // Resuming needs a session whose parts are missing.
      before: {
        'curl -sf -o /dev/null -X POST "$api/assets/upload-sessions/$session/renew/"': `
created=$(curl -sf "$api/assets/upload-sessions/" -H "$auth" -H "$json" -d '{"title": "Lecture 2", "resolutions": ["720p"]}')
session=$(of upload_session.uuid)
sign 1 part_count`,
      },
    },
    'docs/guides/playback-tokens.md': { setup: `${CURL}${SIGNING_KEY}` },
    'docs/guides/webhooks.md': {
      setup: `${CURL}${WEBHOOK}`,
      replace: {
        'PORT=9000': `PORT=${first}`,
        'whsec_…': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
        '6f1c2a52-8b7e-4a7e-9a55-3f0f3d1f6c3e': '$delivery',
      },
      // The sample before it disables the webhook, and a disabled webhook receives no replays.
      before: {
        'curl -sf "$api/webhooks/$webhook/replay/"':
          'curl -sf -o /dev/null -X PATCH "$api/webhooks/$webhook/" -H "$auth" -H "$json" -d \'{"enabled": true}\'',
      },
    },
    'docs/guides/sdk.md': {
      replace: { [ASSET_PLACEHOLDER]: assetId, 'after: 41': 'after: 1', 'listen(9000)': `listen(${first})` },
    },
    'docs/tutorials/upload-from-your-web-app.md': { setup: 'cp lecture.mp4 video.mp4', replace: { 3000: second } },
    'docs/tutorials/protect-a-course.md': { setup: 'cp lecture.mp4 lesson-1.mp4' },
    'docs/tutorials/move-from-mux.md': { setup: 'cp lecture.mp4 video.mp4', replace: { 8123: third } },
  }) as Readonly<Record<string, PageSettings>>

/** For pages that need nothing of their own. */
export const ordinary: PageSettings = { setup: CURL }
