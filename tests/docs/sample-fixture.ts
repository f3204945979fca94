/** The service, a worker and a shell in which samples are run as a user would run them. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  ApiProcess,
  Caller,
  commandEnvironment,
  newOrganization,
  openOwner,
  programOf,
  resetDatabase,
  root,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { type RunResult, runScript } from './run-script.ts'

/** Long enough for the chapters of the guides. */
const VIDEO_SECONDS = 60

/** The samples register webhooks on this machine. */
const settings = { WEBHOOK_DEVELOPMENT_NETWORKS: '127.0.0.0/8:*' }

export async function openSampleFixture(name: string, { hasWorker }: { readonly hasWorker: boolean }) {
  const env = withDatabase(stackEnv(), name)
  await resetDatabase(env)
  const home = mkdtempSync(join(tmpdir(), 'reelkeep-samples-'))
  const player = join(home, 'player')
  mkdirSync(player)
  // The page of the player names the script of a built player; the samples do not load it.
  writeFileSync(join(player, 'embed-00000000.js'), '')
  const api = await ApiProcess.start({ ...settings, PLAYER_FOLDER: player }, env)
  const worker = hasWorker ? await WorkerProcess.start({ env, settings }) : undefined
  await using owner = openOwner(env)
  const { organizationId, token } = await newOrganization(owner)
  const variables = {
    ...commandEnvironment,
    PATH: `${installCommand(home)}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.state'),
    TZ: 'UTC',
    PYTHONUNBUFFERED: '1',
    REELKEEP_URL: api.baseUrl,
    REELKEEP_ORGANIZATION: organizationId,
    REELKEEP_TOKEN: token,
  }
  return {
    env,
    /** Environment of a user's programs. */
    variables,
    caller: new Caller(api.send, organizationId, token),
    newFolder: (): string => newFolder(home),
    /** Runs a shell script in the folder. */
    run: (folder: string, script: string, more: Record<string, string> = {}): Promise<RunResult> =>
      runScript(folder, script, { env: { ...variables, ...more } }),
    [Symbol.asyncDispose]: async () => {
      await worker?.[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Writes the command `reelkeep` and returns its folder. */
function installCommand(home: string): string {
  const folder = join(home, 'bin')
  mkdirSync(folder)
  writeFileSync(join(folder, 'reelkeep'), `#!/bin/sh\nexec node "${programOf('cli/src/main.ts')}" "$@"\n`)
  chmodSync(join(folder, 'reelkeep'), 0o755)
  return folder
}

/** A folder as a user of the packages has it. */
function newFolder(home: string): string {
  const folder = mkdtempSync(join(home, 'folder-'))
  symlinkSync(join(root, 'tests/node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Writes a video that encodes quickly. */
export function writeVideo(path: string): void {
  const picture = ['-f', 'lavfi', '-i', `testsrc=d=${VIDEO_SECONDS}:s=160x120:r=10`]
  const sound = ['-f', 'lavfi', '-i', `sine=d=${VIDEO_SECONDS}`]
  const options = ['-pix_fmt', 'yuv420p', '-preset', 'ultrafast', '-shortest']
  execFileSync('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...picture, ...sound, ...options, path])
}
