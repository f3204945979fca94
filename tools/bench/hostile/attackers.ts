/**
 * Sends the costliest requests of several organizations, each at its rate limit: `node attackers.ts URL JSON`, where
 * JSON is a list of organizations, tokens and assets. Prints the number of responses by kind and status when it is stopped.
 */
import { setTimeout as sleep } from 'node:timers/promises'

const [baseUrl = '', list = '[]'] = process.argv.slice(2)
type Attacker = { readonly id: string; readonly token: string; readonly assetId: string }
const organizations: Attacker[] = JSON.parse(list)

/** Points that an organization may use per second: RATE_LIMIT_PER_MINUTE by default. */
const POINTS_PER_SECOND = 6000 / 60
const BYTES_PER_POINT = 4096

const repeated = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length))
const subtitles = (content: string) => JSON.stringify({ language: 'de', content })
const chapters = (text: string) => JSON.stringify({ format: 'lines', text })
const MB = 1e6

/** Path and body of each request. */
const attacks = {
  fields: ['assets/folders/', `{${Array.from({ length: 80_000 }, (_, index) => `"f${index}":1`).join()}}`],
  'fields of many objects': [
    'assets/ASSET/chapters/',
    JSON.stringify({
      chapters: Array.from({ length: 150 }, () =>
        Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, 1])),
      ),
    }),
  ],
  levels: ['assets/folders/', `{"title":${repeated('[', 0.9 * MB)}`],
  'long title': ['assets/folders/', JSON.stringify({ title: repeated('x', 0.9 * MB) })],
  'invalid cues': [
    'assets/ASSET/subtitles/',
    subtitles(`WEBVTT\n\n${repeated('00:02.000 --> 00:01.000\nx\n\n', 1.9 * MB)}`),
  ],
  'SRT of brackets': [
    'assets/ASSET/subtitles/',
    subtitles(`1\n00:00:01,000 --> 00:00:02,000\n${repeated('<', 0.7 * MB)}`),
  ],
  'short track': ['assets/ASSET/subtitles/', subtitles(`WEBVTT\n${repeated('\n', 60_000)}`)],
  'line ends': ['assets/ASSET/chapters/import/', chapters(repeated('\n', 250_000))],
  'short line ends': ['assets/ASSET/chapters/import/', chapters(repeated('\n', 60_000))],
} as const satisfies Record<string, readonly [string, string]>

const statuses = new Map<string, number>()

/** Each organization begins with another request, and waits after each one until its points are available again. */
async function attack({ id, token, assetId }: Attacker, first: number): Promise<never> {
  const kinds = Object.entries(attacks)
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
  let dueMs = performance.now()
  for (let number = first; ; number++) {
    const [kind, [path, body]] = kinds[number % kinds.length] ?? ['none', ['', '']]
    const points = 1 + Math.floor(Buffer.byteLength(body) / BYTES_PER_POINT)
    void fetch(`${baseUrl}/api/v1/${id}/${path.replace('ASSET', assetId)}`, { method: 'POST', headers, body }).then(
      async (response) => {
        await response.arrayBuffer()
        count(`${kind}: ${response.status}`)
      },
      () => count(`${kind}: failed`),
    )
    dueMs += (points / POINTS_PER_SECOND) * 1000
    await sleep(Math.max(0, dueMs - performance.now()))
  }
}

const count = (name: string) => statuses.set(name, (statuses.get(name) ?? 0) + 1)

process.on('SIGTERM', () => {
  for (const [name, number] of [...statuses].sort()) process.stdout.write(`${String(number).padStart(6)} × ${name}\n`)
  process.exit(0)
})
process.stdout.write('started\n')
await Promise.all(organizations.map(attack))
