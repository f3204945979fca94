/** `pnpm --filter @reelkeep/dashboard size`: prints what each page loads first, and fails if one exceeds the budget. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Maximum for pages that need a session, which have the menus, the tree of folders and the queue of uploads. */
const SIGNED_IN_KIBIBYTES_MAX = 260
/**
 * Maximum of scripts and styles that a page needs before it can be used, compressed with gzip. React, router and query
 * cache are 106 KiB of it. See docs/decisions/0043-dashboard-stack.md.
 */
const FIRST_LOAD_KIBIBYTES_MAX = 129
/** Maximum of what another page loads in addition to the shell. */
const LAZY_PAGE_KIBIBYTES_MAX = 80

type Chunk = {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
  readonly isDynamicEntry?: boolean
}

const dist = join(import.meta.dirname, 'dist')
const manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8')) as Record<string, Chunk>

/** The files of a module and of all modules that it imports. */
function filesOf(name: string, files = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  if (!chunk) throw new Error(`${name} is not in the manifest of the build.`)
  if (files.has(chunk.file)) return files
  files.add(chunk.file)
  for (const css of chunk.css ?? []) files.add(css)
  for (const imported of chunk.imports ?? []) filesOf(imported, files)
  return files
}

const kibibytes = (bytes: number) => bytes / 1024
const gzipBytes = (file: string) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** A browser loads one language; German is the longer one. */
const texts = (part: string) => `src/locales/${part}/de.po`
const shared = ['index.html', texts('shared')]
const entrance = [...shared, texts('entrance')]
const signedIn = [...shared, texts('signed-in'), 'src/shell/shell.tsx']
const pages: Readonly<Record<string, readonly string[]>> = {
  '/sign-in': [...entrance, 'src/pages/sign-in/sign-in-page.tsx'],
  '/invitation': [...entrance, 'src/pages/invitation/invitation-page.tsx'],
  '/recovery': [...entrance, 'src/pages/recovery/recovery-page.tsx'],
  '/account': [...signedIn, 'src/pages/account/account-page.tsx'],
  '/library': [...signedIn, texts('library'), 'src/pages/library/views/library-page.tsx'],
}

const budgetOf = (page: string) =>
  ['/library', '/account'].includes(page) ? SIGNED_IN_KIBIBYTES_MAX : FIRST_LOAD_KIBIBYTES_MAX

for (const [page, modules] of Object.entries(pages)) {
  const files = new Set(modules.flatMap((name) => [...filesOf(name)]))
  const size = kibibytes(sum([...files].map(gzipBytes)))
  process.stdout.write(`${page.padEnd(12)} ${size.toFixed(1).padStart(6)} KiB gzip in ${files.size} files\n`)
  if (size > budgetOf(page)) process.exitCode = 1
}

/** The modules of each page of the settings: all modules of its folder that are loaded on demand. */
const settings = Object.fromEntries(
  Object.keys(manifest)
    .filter((name) => name.startsWith('src/pages/settings/') && manifest[name]?.isDynamicEntry)
    .map((name) => [
      name.replace('src/pages', '').replace(/-page\.tsx$/, ''),
      [texts('settings'), 'src/pages/settings/settings-page.tsx', name],
    ]),
)

/** Pages and dialogs that are opened from others, and the tree of folders, which follows the library. */
const lazyPages: Readonly<Record<string, readonly string[]>> = {
  'tree of folders': ['src/pages/library/tree/folder-tree.tsx'],
  'command palette': ['src/shell/command-palette.tsx'],
  '/videos/ID': [texts('video'), 'src/pages/video/video-page.tsx'],
  '/videos/ID/chapters': [texts('video'), texts('studio'), 'src/pages/studio/studio-page.tsx'],
  '/videos/ID/captions/TRACK': [texts('video'), texts('studio'), 'src/pages/captions/captions-page.tsx'],
  'share dialog': [texts('video'), 'src/pages/video/share/share-dialog.tsx'],
  '/uploads': [texts('uploads'), 'src/pages/uploads/page/uploads-page.tsx'],
  '/trash': [texts('library'), 'src/pages/trash/trash-page.tsx'],
  ...settings,
}
const inShell = new Set(signedIn.flatMap((name) => [...filesOf(name)]))

for (const [page, modules] of Object.entries(lazyPages)) {
  const files = new Set(modules.flatMap((name) => [...filesOf(name)])).difference(inShell)
  const size = kibibytes(sum([...files].map(gzipBytes)))
  process.stdout.write(`${page.padEnd(36)} + ${size.toFixed(1).padStart(4)} KiB gzip in ${files.size} files\n`)
  if (size > LAZY_PAGE_KIBIBYTES_MAX) process.exitCode = 1
}
process.stdout.write(
  `Budget, without the font: ${FIRST_LOAD_KIBIBYTES_MAX} KiB, with a session ${SIGNED_IN_KIBIBYTES_MAX} KiB, for other pages ${LAZY_PAGE_KIBIBYTES_MAX} KiB more.\n`,
)
if (process.exitCode === 1) process.stderr.write('The dashboard exceeds its size budget.\n')
