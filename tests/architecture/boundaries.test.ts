import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** For each rule of boundaries.cjs, a file that violates the rule and the import in it. */
const violations: Record<string, readonly [file: string, imports: string]> = {
  'no-cycles': ['server/src/kernel/about.ts', './round.ts'],
  'kernel-imports-contract-only': ['server/src/kernel/time.ts', '../platform/db/database.ts'],
  'platform-imports-no-module': ['server/src/platform/http/route.ts', '../../modules/folders/folders.ts'],
  'only-main-imports-main': ['server/src/platform/http/server.ts', '../../main/wiring/context.ts'],
  'modules-import-no-maintenance': [
    'server/src/platform/db/connections/multiplexer.ts',
    '../../../maintenance/stored-objects.ts',
  ],
  'maintenance-uses-front-doors': ['server/src/maintenance/stored-objects.ts', '../modules/assets/assets.store.ts'],
  'only-main-imports-diagnostics': ['server/src/platform/http/health.ts', '../../diagnostics/checks.ts'],
  'diagnostics-use-front-doors': ['server/src/diagnostics/api-checks.ts', '../modules/assets/assets.store.ts'],
  'config-imports-no-platform': ['server/src/platform/config/env.ts', '../db/database.ts'],
  'http-imports-no-jobs': ['server/src/platform/http/cors.ts', '../jobs/schedule.ts'],
  'cells-are-above-modules': ['server/src/platform/http/access/authenticate.ts', '../../../cells/placement.ts'],
  'cells-use-front-doors': ['server/src/cells/move/rows/rows.ts', '../../../modules/assets/assets.store.ts'],
  'front-door-only': ['server/src/modules/tokens/tokens.ts', '../organizations/organizations.rules.ts'],
  'unlisted-modules-import-none': ['server/src/modules/grants/grants.ts', '../tokens/tokens.ts'],
  'folders-imports-only-events-organizations': [
    'server/src/modules/folders/folder-tree.store.ts',
    '../tokens/tokens.ts',
  ],
  'roles-imports-only-events-grants-tokens': ['server/src/modules/roles/roles.ts', '../folders/folders.ts'],
  'members-imports-only-events-folders-grants-roles-tokens': [
    'server/src/modules/members/members.ts',
    '../assets/assets.ts',
  ],
  'invitations-imports-only-events-folders-grants-members-organizations-roles-tokens': [
    'server/src/modules/invitations/invitations.ts',
    '../assets/assets.ts',
  ],
  'tokens-imports-only-events-grants': ['server/src/modules/tokens/tokens.store.ts', '../folders/folders.ts'],
  'webhook-dispatch-imports-only-events-webhooks': [
    'server/src/modules/webhook-dispatch/webhook-dispatch.ts',
    '../folders/folders.ts',
  ],
  'event-stream-imports-only-events': ['server/src/modules/event-stream/event-stream.ts', '../folders/folders.ts'],
  'webhooks-imports-only-events-grants': ['server/src/modules/webhooks/webhooks.ts', '../folders/folders.ts'],
  'signing-keys-imports-only-grants': ['server/src/modules/signing-keys/signing-keys.ts', '../folders/folders.ts'],
  'assets-imports-only-events-folders-grants-organizations-published-files': [
    'server/src/modules/assets/assets.ts',
    '../tokens/tokens.ts',
  ],
  'content-keys-imports-only-assets': ['server/src/modules/content-keys/content-keys.ts', '../folders/folders.ts'],
  'renditions-imports-only-assets-events': ['server/src/modules/renditions/renditions.ts', '../folders/folders.ts'],
  'pipeline-imports-only-assets-chapters-content-keys-events-published-files-renditions-subtitles': [
    'server/src/modules/pipeline/pipeline.ts',
    '../folders/folders.ts',
  ],
  'search-imports-only-assets-folders': ['server/src/modules/search/search.ts', '../tokens/tokens.ts'],
  'clips-imports-only-assets-chapters-events-quotas-renditions-subtitles': [
    'server/src/modules/clips/clips.ts',
    '../folders/folders.ts',
  ],
  'chapters-imports-only-assets-events-moments': ['server/src/modules/chapters/chapters.ts', '../folders/folders.ts'],
  'playback-tokens-imports-only-assets-grants-signing-keys': [
    'server/src/modules/playback-tokens/playback-tokens.ts',
    '../folders/folders.ts',
  ],
  'playback-imports-only-assets-chapters-content-keys-playback-tokens-published-files-subtitles': [
    'server/src/modules/playback/playback.ts',
    '../folders/folders.ts',
  ],
  'organization-deletion-imports-only-suspension': [
    'server/src/modules/organization-deletion/organization-deletion.ts',
    '../folders/folders.ts',
  ],
  'sign-in-imports-only-grants-invitations-members-organizations-roles-sessions-tokens': [
    'server/src/modules/sign-in/sign-in.ts',
    '../folders/folders.ts',
  ],
  'sessions-imports-only-grants-tokens': ['server/src/modules/sessions/sessions.store.ts', '../folders/folders.ts'],
  'audit-imports-only-events': ['server/src/modules/audit/audit.ts', '../folders/folders.ts'],
  'quotas-imports-only-events': ['server/src/modules/quotas/quotas.ts', '../folders/folders.ts'],
  'usage-imports-only-quotas': ['server/src/modules/usage/usage.ts', '../folders/folders.ts'],
  'organizations-imports-only-events': ['server/src/modules/organizations/organizations.ts', '../folders/folders.ts'],
  'embedding-imports-only-assets-organizations': ['server/src/modules/embedding/embedding.ts', '../folders/folders.ts'],
  'subtitles-imports-only-assets-events-moments-published-files': [
    'server/src/modules/subtitles/subtitles.ts',
    '../folders/folders.ts',
  ],
  'upload-sessions-imports-only-assets-events-grants-pipeline-quotas-tokens-versions': [
    'server/src/modules/upload-sessions/upload-sessions.ts',
    '../folders/folders.ts',
  ],
  'versions-imports-only-assets-events-pipeline-published-files-subtitles': [
    'server/src/modules/versions/versions.ts',
    '../tokens/tokens.ts',
  ],
  'bulk-operations-imports-only-assets-folders-grants-pipeline': [
    'server/src/modules/bulk-operations/bulk-operations.ts',
    '../tokens/tokens.ts',
  ],
  'trash-imports-only-assets-folders': ['server/src/modules/trash/trash.ts', '../tokens/tokens.ts'],
  'wire-files-are-for-the-wire': [
    'server/src/modules/upload-sessions/upload-finalization.ts',
    '../assets/assets.wire.ts',
  ],
  'routes-call-the-front-door': ['server/src/modules/folders/folders.routes.ts', './folders.store.ts'],
  'stores-contain-sql-only': ['server/src/modules/folders/folders.store.ts', '../../platform/http/page.ts'],
  'sql-in-stores-only': ['server/src/modules/folders/folders.ts', 'kysely'],
  'engine-in-its-adapter-only': ['server/src/platform/jobs/worker.ts', '@dbos-inc/dbos-sdk'],
  'rules-are-pure': ['server/src/modules/folders/folders.rules.ts', '../../platform/db/database.ts'],
  'rules-need-no-library': ['server/src/modules/tokens/tokens.rules.ts', 'node:fs'],
  'contract-stands-alone': ['contract/src/library/folders.ts', '../../../server/src/kernel/ids.ts'],
  'media-stands-alone': ['media/src/probe/probe.ts', '../../../server/src/kernel/ids.ts'],
  'player-stands-alone': ['player/src/engine.ts', '../../server/src/kernel/ids.ts'],
  'dashboard-is-a-user-of-the-api': ['dashboard/src/api/account.ts', '../../../server/src/kernel/ids.ts'],
  'dashboard-components-import-no-page': ['dashboard/src/ui/button.ts', '../app/texts/times.ts'],
  'sdk-stands-alone': ['sdk/src/http/list.ts', 'typebox'],
  'sdk-runs-everywhere': ['sdk/src/http/errors.ts', 'node:fs'],
  'cli-is-a-user-of-the-sdk': ['cli/src/program.ts', '../../server/src/kernel/ids.ts'],
  'one-file-starts-processes': ['server/src/platform/storage/objects.ts', 'node:child_process'],
  'tests-are-black-box': ['tests/acceptance/section-fixture.ts', '../../server/src/kernel/ids.ts'],
}

/** Files that the violating files import. */
const innocent: Record<string, string> = {
  'server/src/kernel/round.ts': `export type { A } from './about.ts'`,
  'dashboard/src/app/texts/times.ts': '',
  'server/src/kernel/ids.ts': '',
  'server/src/platform/db/database.ts': '',
  'server/src/platform/http/page.ts': '',
  'server/src/main/wiring/context.ts': '',
  'server/src/cells/placement.ts': '',
  'server/src/diagnostics/checks.ts': '',
  'server/src/platform/jobs/schedule.ts': '',
  'server/src/modules/organizations/organizations.rules.ts': '',
  'server/src/modules/assets/assets.store.ts': '',
  'server/src/modules/assets/assets.wire.ts': '',
}

const { forbidden, options } = createRequire(import.meta.url)(join(root, 'boundaries.cjs')) as {
  forbidden: NonNullable<IFlattenedRuleSet['forbidden']>
  options: ICruiseOptions
}

describe('boundaries.cjs', () => {
  const house = mkdtempSync(join(tmpdir(), 'boundaries-'))
  const brokenBy = new Map<string, string[]>()
  beforeAll(async () => {
    for (const [file, imports] of Object.values(violations)) {
      // A type-only import violates a rule like any other import.
      write(house, file, `import type { A } from '${imports}'\nexport type { A }`)
    }
    for (const [file, source] of Object.entries(innocent)) write(house, file, source)
    symlinkSync(join(root, 'server/node_modules'), join(house, 'server/node_modules'))
    symlinkSync(join(root, 'contract/node_modules'), join(house, 'sdk/node_modules'))
    const parts = ['cli', 'contract', 'dashboard/src', 'media', 'player', 'sdk/src', 'server/src', 'tests']
    const { output } = await cruise(parts, {
      ...options,
      baseDir: house,
      ruleSet: { forbidden },
      validate: true,
    })
    for (const { rule, from } of (output as ICruiseResult).summary.violations) {
      brokenBy.set(rule.name, [...(brokenBy.get(rule.name) ?? []), from])
    }
  })
  afterAll(() => rmSync(house, { recursive: true }))

  it('has only rules for which this test has a violation', () => {
    expect(Object.keys(violations).sort()).toEqual(forbidden.map(({ name }) => name).sort())
  })

  it.each(Object.entries(violations))('has the rule %s, which reports %s', (rule, [file]) => {
    expect(brokenBy.get(rule)).toContain(file)
  })
})

it("only the adapter of the job engine names the engine's tables", () => {
  const files = globSync('server/src/**/*.ts', { cwd: root }).filter(
    (file) => !/[.]test[.]ts$|^server[/]src[/]platform[/]jobs[/]engine[/]/.test(file),
  )
  const naming = files.filter((file) => /\bdbos[.]/.test(readFileSync(join(root, file), 'utf8')))
  expect(naming).toEqual([])
})

function write(house: string, file: string, source: string): void {
  const path = join(house, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, source)
}
