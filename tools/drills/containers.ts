/**
 * `pnpm drill containers`: from podman and this repository alone to a video that plays. Builds the images, runs the
 * commands of the README (`compose.yaml`, upload from outside with the CLI of the image), plays in Chromium, stops and
 * starts everything, upgrades to another image, and plays again. Then the same with the Compose file for production and
 * the packed CLI: upgraded under load without a failed request, with backup and monitoring.
 *
 *   --short   does not check times
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort, root } from '@reelkeep/testkit'
import { ComposeProject, linkIn } from './containers/compose-project.ts'
import { Engine } from './containers/engine.ts'
import { probeHostileFiles } from './containers/hostile-files.ts'
import { checkContents } from './containers/image-contents.ts'
import { runProduction } from './containers/production.ts'
import { readmeStart } from './containers/readme-start.ts'
import { DrillReport } from './support/drill-report.ts'

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } })

const GOALS = { imageMegabytes: 500, rebuildSeconds: 60, apiSeconds: 3, playableSeconds: 60 }
const IDLE_SECONDS = 30
const [OLD, NEW] = ['drill-old', 'drill-new']

const report = new DrillReport({ isShort: values.short })
await using cleanup = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'reelkeep-drill-'))
cleanup.defer(() => rmSync(folder, { recursive: true }))
const source = join(folder, 'source')
const engine = cleanup.use(await Engine.open())

await buildImages()
const packages = packPackages()
const clip = await makeClip()
try {
  await checkContents(engine, report, `reelkeep/reelkeep:${NEW}`)
  await tryOut()
  await probeHostileFiles(engine, report, `reelkeep/reelkeep:${NEW}`)
  await runProduction({
    ...{ engine, report, source, folder, clip, cli: packages },
    images: { old: `reelkeep/reelkeep:${OLD}`, new: `reelkeep/reelkeep:${NEW}`, storage: `reelkeep/storage:${NEW}` },
  })
} finally {
  process.exitCode = report.print()
}

/** Builds both images, and the service again after a change of its source. */
async function buildImages(): Promise<void> {
  await measure('base images', () => engine.run('stack/base-images', ['node:24-bookworm-slim', 'postgres:15-bookworm']))
  copyTree(source)
  const build = (dockerfile: string, image: string) =>
    engine.podman('build', '-q', '-f', join(source, dockerfile), '-t', image, source)
  await measure('storage image built', () => build('deploy/storage/Dockerfile', `reelkeep/storage:${OLD}`))
  await engine.podman('tag', `reelkeep/storage:${OLD}`, `reelkeep/storage:${NEW}`)
  await measure('image built', () => build('deploy/docker/Dockerfile', `reelkeep/reelkeep:${OLD}`))
  appendFileSync(join(source, 'server/src/main/api.ts'), '\n// A change of the source.\n')
  const seconds = await measure('image rebuilt after a change of the source', () =>
    build('deploy/docker/Dockerfile', `reelkeep/reelkeep:${NEW}`),
  )
  report.checkTime('seconds to rebuild', seconds.toFixed(0), { isPassed: seconds < GOALS.rebuildSeconds })
  for (const image of ['reelkeep', 'storage']) {
    const megabytes = (await engine.imageBytes(`reelkeep/${image}:${NEW}`)) / 1e6
    const text = `${megabytes.toFixed(0)} MB`
    const isPassed = megabytes <= GOALS.imageMegabytes
    if (image === 'reelkeep') report.check('image of the service', text, { isPassed })
    else report.note('image of storage', text)
  }
}

/** Copies the files of the repository, as a clone would have them. Skips files that are deleted but not committed. */
function copyTree(target: string): void {
  const list = 'git ls-files -z --cached --others --exclude-standard'
  const pack = 'tar -c --null --verbatim-files-from --ignore-failed-read -T -'
  const script = `set -o pipefail; mkdir "$0" && ${list} | ${pack} | tar -x -C "$0"`
  execFileSync('bash', ['-c', script, target], { cwd: root })
}

function packPackages(): string[] {
  execFileSync('pnpm', ['--silent', 'pack:packages'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  // The folder may also contain packages of other versions.
  const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'))
  return ['reelkeep', 'reelkeep-cli'].map((name) => join(root, `packages/${name}-${version}.tgz`))
}

/** A test clip of twenty seconds, by the ffmpeg of the image. */
async function makeClip(): Promise<string> {
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=20']
  const run = ['run', '--rm', '--user=0', `--volume=${folder}:/clip`, '--entrypoint=ffmpeg', `reelkeep/reelkeep:${NEW}`]
  await engine.podman(...run, '-v', 'error', '-nostdin', ...source, '-pix_fmt', 'yuv420p', '/clip/clip.mp4')
  return join(folder, 'clip.mp4')
}

/** Runs `compose.yaml` as a new user does. */
async function tryOut(): Promise<void> {
  const [apiPort, storagePort] = [String(await freePort()), String(await freePort())]
  await using project = new ComposeProject(engine, {
    name: 'reelkeep-drill',
    files: [join(source, 'compose.yaml')],
    settings: {
      REELKEEP_VERSION: OLD,
      API_PORT: apiPort,
      STORAGE_PORT: storagePort,
      STORAGE_PUBLIC_ENDPOINT: `http://localhost:${storagePort}`,
    },
  })
  const link = await makeFirstVideo(project)
  await measureIdle(project)
  await project.compose('down')
  await project.compose('up', '-d')
  await play(project, 'after stop and start it plays', link)
  project.set('REELKEEP_VERSION', NEW)
  await project.compose('up', '-d')
  await play(project, 'after an upgrade it plays', link)
}

/** Starts everything on empty volumes and uploads a video, by the commands of the README; returns its link. */
async function makeFirstVideo(project: ComposeProject): Promise<string> {
  copyFileSync(clip, join(source, 'video.mp4'))
  const start = performance.now()
  const output = await project.runShell(readmeStart(), source)
  const seconds = (performance.now() - start) / 1000
  const url = linkIn(output)
  report.checkTime('seconds from `up` to the first playable video', seconds.toFixed(0), {
    isPassed: seconds < GOALS.playableSeconds,
  })
  const apiSeconds = await project.secondsUntilReady('api')
  report.checkTime('seconds until the API is ready', apiSeconds.toFixed(1), {
    isPassed: apiSeconds <= GOALS.apiSeconds,
  })
  await play(project, 'a new video plays in Chromium', url)
  return url
}

async function measureIdle(project: ComposeProject): Promise<void> {
  const before = await project.costs()
  await sleep(IDLE_SECONDS * 1000)
  for (const { name, memory, cpuSeconds } of await project.costs()) {
    const used = cpuSeconds - (before.find((cost) => cost.name === name)?.cpuSeconds ?? 0)
    const share = `${((100 * used) / IDLE_SECONDS).toFixed(1)} % of a core`
    report.note(`idle: ${name}`, `${memory}, ${share}`)
  }
}

async function play(project: ComposeProject, what: string, url: string): Promise<void> {
  const error = await project.play(url).then(
    () => undefined,
    (reason: Error) => reason.message,
  )
  report.check(what, error ? 'no' : 'yes', { isPassed: !error, details: error ? [error] : [] })
}

/** Adds the duration of an action to the report; returns its seconds. */
async function measure(what: string, action: () => Promise<unknown>): Promise<number> {
  process.stdout.write(`${what} …\n`)
  const start = performance.now()
  await action()
  const seconds = (performance.now() - start) / 1000
  report.note(`${what}, seconds`, seconds.toFixed(0))
  return seconds
}
