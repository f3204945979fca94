import { defineConfig } from '@lingui/cli'
import { formatter } from '@lingui/format-po'

/** A page loads the texts of its part only: `src/app/texts/languages.ts`. */
const catalog = (name: string, folders: readonly string[]) => ({
  path: `<rootDir>/src/locales/${name}/{locale}`,
  include: folders.map((folder) => `<rootDir>/src/${folder}`),
})

/** English is the language of the sources. `pnpm --filter @reelkeep/dashboard texts` writes the catalogs. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de'],
  catalogs: [
    catalog('shared', ['api', 'app', 'ui']),
    catalog('entrance', ['pages/sign-in', 'pages/invitation', 'pages/recovery', 'pages/credentials']),
    // The tree of folders, the list of uploads and the command palette are part of every page.
    catalog('signed-in', [
      ...['shell', 'pages/account', 'pages/start', 'pages/uploads/dock'],
      ...['pages/library/tree', 'pages/library/actions', 'pages/search/moments'],
    ]),
    catalog('library', ['pages/library/views', 'pages/search/page', 'pages/trash']),
    catalog('uploads', ['pages/uploads/page']),
    catalog('video', ['pages/video']),
    catalog('studio', ['pages/studio', 'pages/captions', 'pages/clips']),
    catalog('settings', ['pages/settings']),
  ],
  format: formatter({ lineNumbers: false }),
  orderBy: 'message',
})
