/** A dry run of release.yml without a network: its commands, with programs that only record their arguments. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Job, type Step, workflows } from './workflow-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'release-'))
afterAll(() => rmSync(folder, { recursive: true }))

const BASE_DIGEST = `sha256:${'b'.repeat(64)}`
const IMAGE_DIGEST = `sha256:${'a'.repeat(64)}`

/** The images that the workflow runs. */
const settings: Readonly<Record<string, string>> = Object.fromEntries(
  readFileSync(join(root, 'tools/release/images.env'), 'utf8')
    .split('\n')
    .filter((line) => /^\w/.test(line))
    .map((line) => line.split('=', 2)),
)

/** Records its name and arguments, one line per call, and returns what the real program would return. */
const recorder = `#!/usr/bin/env bash
printf '%s\\n' "$(basename "$0") $*" >>"$CALLS"
case "$*" in
  "buildx imagetools inspect $PUBLISHED") ;;
  'buildx imagetools inspect ghcr.io/'*) exit 1 ;;
  'buildx imagetools inspect'*) echo ${BASE_DIGEST} ;;
  'run '*sbom.cdx.json) echo '{}' ;;
  login*) cat >"$CALLS.password" ;;
esac
while (( $# > 0 )); do
  [[ $1 != --metadata-file ]] || echo '{"containerimage.digest":"${IMAGE_DIGEST}"}' >"$2"
  shift
done
`
mkdirSync(join(folder, 'bin'))
for (const name of ['cosign', 'docker', 'gh', 'npm']) {
  writeFileSync(join(folder, 'bin', name), recorder)
  chmodSync(join(folder, 'bin', name), 0o755)
}
for (const name of ['deploy', 'tools']) symlinkSync(join(root, name), join(folder, name))

const PATH = `${join(folder, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`

const jobs = workflows.find(({ file }) => file === 'release.yml')?.jobs ?? {}
const github = { token: 'the-token' }
const defaults = {
  GITHUB_ACTOR: 'maintainer',
  GITHUB_REF_NAME: 'v1.2.3',
  GITHUB_REPOSITORY: 'Owner/Name',
  GITHUB_REPOSITORY_OWNER: 'Owner',
}

/** Runs the commands of a job, and returns the recorded calls. `published` is an image that the registry has. */
function runJob(name: string, matrix: Readonly<Record<string, string>> = {}, published = 'none'): string[] {
  const job: Job = jobs[name] ?? {}
  const calls = join(folder, `calls-${name}-${Object.values(matrix).join('-').replaceAll('/', '_')}`)
  const output = `${calls}.output`
  writeFileSync(calls, '')
  const steps: Record<string, { outputs: Record<string, string> }> = {}
  const evaluate = (env: Step['env'] = {}) =>
    Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filledIn(value, { github, matrix, steps })]))
  for (const step of job.steps ?? []) {
    if (!step.run || (step.if && !isTrue(step.if, matrix))) continue
    writeFileSync(output, '')
    const files = { CALLS: calls, GITHUB_OUTPUT: output, PUBLISHED: published }
    const env = { ...defaults, ...evaluate(job.env), ...evaluate(step.env), ...files }
    execFileSync('bash', ['-e', '-c', step.run], { cwd: folder, env: { ...env, PATH }, stdio: 'pipe' })
    const outputs = readFileSync(output, 'utf8').trim().split('\n')
    if (step.id) steps[step.id] = { outputs: Object.fromEntries(outputs.map((line) => line.split('=', 2))) }
  }
  return readFileSync(calls, 'utf8').trim().split('\n')
}

/** Replaces `${{ a.b }}`, the only form of expression in the environment of a step. */
const filledIn = (text: string, contexts: object) =>
  text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_, path: string) => {
    const value = path.split('.').reduce((part, key) => (part as Record<string, unknown>)?.[key], contexts as unknown)
    if (typeof value !== 'string') throw new Error(`${path} has no value`)
    return value
  })

function isTrue(condition: string, matrix: Readonly<Record<string, string>>): boolean {
  const [, key = '', value] = /^matrix\.(\w+) == '(\w+)'$/.exec(condition) ?? []
  if (value === undefined) throw new Error(`unknown condition: ${condition}`)
  return matrix[key] === value
}

describe('the job images', () => {
  const matrix = (jobs['images']?.strategy?.matrix['include'] ?? []) as { image: string; dockerfile: string }[]
  const build = (image: string, dockerfile: string, bases: readonly string[]) =>
    [
      `docker buildx build --file ${dockerfile} --platform linux/amd64 --pull --no-cache`,
      ...bases.map((base) => `--build-arg ${base}@${BASE_DIGEST}`),
      '--label org.opencontainers.image.version=1.2.3',
      `--sbom=generator=${settings['SBOM_SCANNER_IMAGE']} --provenance=mode=max --tag ${image}:1.2.3 --push`,
    ].join(' ')

  it('builds the images that compose.yaml names', () => {
    const compose = readFileSync(join(root, 'compose.yaml'), 'utf8')
    expect(compose.match(/(?<=image: \$\{REELKEEP_IMAGES:-localhost\/reelkeep\}\/)\w+/g)?.sort()).toEqual(
      matrix.map(({ image }) => image).sort(),
    )
    for (const { dockerfile } of matrix) expect(compose).toContain(`dockerfile: ${dockerfile}`)
  })

  it('pushes the service with pinned bases, SBOM and provenance, signs its digest and attaches the components', () => {
    const image = 'ghcr.io/owner/reelkeep'
    const bases = ['NODE_IMAGE=node:24-bookworm-slim', 'DEBIAN_IMAGE=debian:bookworm-slim']
    const calls = runJob('images', { image: 'reelkeep', dockerfile: 'deploy/docker/Dockerfile' })
    expect(calls).toEqual([
      'docker login ghcr.io --username maintainer --password-stdin',
      `docker buildx create --use --driver-opt image=${settings['BUILDKIT_IMAGE']}`,
      `docker buildx imagetools inspect ${image}:1.2.3`,
      ...bases.map((base) => `docker buildx imagetools inspect ${base.split('=')[1]} --format {{.Manifest.Digest}}`),
      expect.stringContaining(build(image, 'deploy/docker/Dockerfile', bases)),
      `cosign sign --yes ${image}@${IMAGE_DIGEST}`,
      `docker run --rm --entrypoint cat ${image}@${IMAGE_DIGEST} /opt/reelkeep/sbom.cdx.json`,
      `cosign attest --yes --type cyclonedx --predicate sbom.cdx.json ${image}@${IMAGE_DIGEST}`,
    ])
    expect(calls.join()).not.toContain(github.token)
    expect(readFileSync(join(folder, 'image-reelkeep.txt'), 'utf8')).toBe(`${image}@${IMAGE_DIGEST}\n`)
  })

  it('refuses to replace a published image', () => {
    const matrix = { image: 'storage', dockerfile: 'deploy/storage/Dockerfile' }
    const image = 'ghcr.io/owner/storage:1.2.3'
    expect(() => runJob('images', matrix, image)).toThrow(`${image} exists, and a published image is never replaced.`)
  })

  it('pushes and signs the storage image, which has no list of components', () => {
    const image = 'ghcr.io/owner/storage'
    expect(runJob('images', { image: 'storage', dockerfile: 'deploy/storage/Dockerfile' }).slice(4)).toEqual([
      expect.stringContaining(build(image, 'deploy/storage/Dockerfile', ['DEBIAN_IMAGE=debian:bookworm-slim'])),
      `cosign sign --yes ${image}@${IMAGE_DIGEST}`,
    ])
  })
})

it('the job packages refuses a tag whose commit is not on main', () => {
  const step = jobs['packages']?.steps?.find(({ run }) => run?.includes('merge-base'))
  const clone = join(folder, 'clone')
  const git = (...args: string[]) => execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8' }).trim()
  const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
  const commit = () => {
    git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'x')
    return git('rev-parse', 'HEAD')
  }
  execFileSync('git', ['init', '--quiet', clone])
  const [older, newest] = [commit(), commit()]
  git('update-ref', 'refs/remotes/origin/main', newest)
  const unmerged = commit()
  const check = (sha: string) =>
    spawnSync('bash', ['-e', '-c', step?.run ?? ''], { cwd: clone, env: { GITHUB_SHA: sha, PATH } }).status
  expect([older, newest, unmerged].map(check)).toEqual([0, 0, 1])
  const [checkout] = jobs['packages']?.steps ?? []
  expect(checkout?.with).toMatchObject({ 'fetch-depth': 0 })
})

it('the job npm publishes the tarball of each public package with provenance', () => {
  const tarballs = jobs['npm']?.strategy?.matrix['package'] as string[]
  const { packages } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) as { packages: string[] }
  const manifests = packages.map((name) => JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')))
  const published = manifests.filter((manifest) => manifest.private !== true)
  expect(published.map(({ name }) => name.replace('@', '').replace('/', '-')).sort()).toEqual([...tarballs].sort())
  for (const tarball of tarballs)
    expect(runJob('npm', { package: tarball })).toEqual([
      `npm publish ./${tarball}-1.2.3.tgz --provenance --access public`,
    ])
})

it('the job release creates the GitHub release with notes, names of the images, tarballs and the SBOM', () => {
  for (const name of ['reelkeep', 'reelkeep-cli']) writeFileSync(join(folder, `${name}-1.2.3.tgz`), '')
  for (const name of ['reelkeep', 'storage']) writeFileSync(join(folder, `image-${name}.txt`), `${name}@sha256:0\n`)
  writeFileSync(join(folder, 'release-notes.md'), '- An entry.\n')
  expect(runJob('release')).toEqual([
    'gh release create v1.2.3 --repo Owner/Name --verify-tag --title Reelkeep 1.2.3 ' +
      '--notes-file notes.md ./reelkeep-1.2.3.tgz ./reelkeep-cli-1.2.3.tgz sbom.cdx.json',
  ])
  const notes = '- An entry.\n\n### Images\n\n- `reelkeep@sha256:0`\n- `storage@sha256:0`\n'
  expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe(notes)
})

it('the lockfile matches the manifests', () => {
  const args = ['install', '--frozen-lockfile', '--lockfile-only', '--offline']
  execFileSync('pnpm', args, { cwd: root, stdio: 'pipe' })
})

it('the dry run writes nothing into the repository', () => {
  expect(existsSync(join(root, 'sbom.cdx.json'))).toBe(false)
})
