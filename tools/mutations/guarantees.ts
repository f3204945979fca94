/**
 * Guarantees, each with a test that protects it and a mutation of one or two lines that breaks it. `node
 * tools/mutations/run.ts` applies each mutation and requires the named test to fail.
 */
import { faultGuarantees } from './fault-guarantees.ts'
import type { Guarantee } from './guarantee.ts'

const uploads = 'server/src/modules/upload-sessions'
const pipeline = 'server/src/modules/pipeline'

export const guarantees: readonly Guarantee[] = [
  {
    guarantee: 'A worker that has lost a pipeline step to another worker publishes nothing.',
    mutation: 'The fence does not compare the token.',
    file: `${pipeline}/pipeline.store.ts`,
    find: 'isOwnedBy(steps, given.token)',
    replace: 'ofStep(given)',
    tests: 'tests/service/pipeline/pipeline-workers.int.test.ts',
    failing: 'resumes, finds its step reclaimed, and publishes nothing',
  },
  {
    guarantee: 'A file that crashes its worker is given up after ten attempts.',
    mutation: 'The limit is 10,000 attempts.',
    file: `${pipeline}/steps/retry-policies.ts`,
    find: 'maxCrashes: 10,',
    replace: 'maxCrashes: 10_000,',
    tests: 'tests/service/pipeline/pipeline-workers.int.test.ts',
    failing: 'fails with processing_stopped_workers after it has killed 10 workers, and can be retried',
  },
  {
    guarantee: 'An upload completes once, however many callers report its end at the same time.',
    mutation: 'The code uses the session that was read before the lock, which may be stale.',
    file: `${uploads}/upload-finalization.ts`,
    find: '(session, file, before.isClosed)',
    replace: '(before, file, before.isClosed)',
    tests: 'tests/service/pipeline/upload-races.int.test.ts',
    failing: 'can be completed by four concurrent requests, each of which succeeds or has to be retried',
  },
  {
    guarantee: 'If several files are posted to one session, the first is kept byte for byte.',
    mutation: 'The newest file is kept.',
    file: 'server/src/platform/storage/uploads-bucket.ts',
    find: 'if (isWanted(stored)) firstWanted = stored',
    replace: 'if (isWanted(stored)) firstWanted ??= stored',
    tests: `${uploads}/upload-cleanup.int.test.ts`,
    failing: 'keeps the first of two files that arrived before the check',
  },
  {
    guarantee: 'A session expires only if storage had no file after the session was closed.',
    mutation: 'It also expires if storage had no file before the session was closed.',
    file: `${uploads}/upload-sessions.rules.ts`,
    find: 'isOpen(session) && wasClosed && session.isClosed',
    replace: 'isOpen(session) && session.isClosed',
    tests: `${uploads}/upload-sessions.rules.test.ts`,
    failing: '%s: expires only if the session was closed before the check and still is',
  },
  {
    guarantee: 'A job of a worker that was killed is finished by another worker.',
    mutation: 'Dead workers are never detected.',
    file: 'server/src/platform/db/claims.ts',
    find: 'sql<boolean>`not $',
    replace: 'sql<boolean>`false and not $',
    tests: 'tests/service/jobs/worker-faults.int.test.ts',
    failing: 'another worker finishes the job when the lease has expired',
  },
  {
    guarantee: 'Postgres never returns rows of another organization, whatever the query.',
    mutation: 'The policy on chapters allows every row.',
    file: 'server/migrations/0011_chapters.sql',
    find: `own_organization on chapters to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))`,
    replace: `own_organization on chapters to reelkeep_api
  using (true)`,
    tests: 'server/src/platform/db/isolation.int.test.ts',
    failing: 'finds only our rows without a condition',
  },
  {
    guarantee: 'While an organization is suspended, no statement can write to it.',
    mutation: 'The trigger allows all writes.',
    file: 'server/migrations/0177_write_block_once.sql',
    find: "and current_setting('app.is_mover', true) is distinct from 'yes'",
    replace: 'and false',
    tests: 'server/src/platform/db/write-block.int.test.ts',
    failing: 'every table rejects inserts, updates and deletes for it',
  },
  {
    guarantee: 'Pages of a list neither repeat nor skip a row while rows are created and deleted.',
    mutation: 'A page begins with the last row of the previous page.',
    file: 'server/src/platform/db/paging/keyset-query.ts',
    find: "isAscending ? '>' : '<'",
    replace: "isAscending ? '>=' : '<='",
    tests: `${uploads}/upload-session-list.routes.int.test.ts`,
    failing: 'neither repeats nor skips sessions while others are created and ended',
  },
  {
    guarantee: 'If two concurrent requests add a chapter at the same second, one of them is refused.',
    mutation: 'The set of chapters is read before it is locked.',
    file: 'server/src/modules/chapters/chapters.store.ts',
    find: '[[locked], chapters, hashed] = await tx.run(lock({ assetId }), chaptersOf({ assetId }), versionOf({ assetId }))',
    replace:
      '[chapters, [locked], hashed] = await tx.run(chaptersOf({ assetId }), lock({ assetId }), versionOf({ assetId }))',
    tests: 'server/src/modules/chapters/chapter-races.routes.int.test.ts',
    failing: 'of two concurrent requests with a chapter at the same second, one adds all and the other none',
  },
  {
    guarantee: 'A webhook gets the events of one asset in order, even if one of them is retried.',
    mutation: 'A delivery does not wait for earlier deliveries of its asset.',
    file: 'server/src/modules/webhook-dispatch/claims.store.ts',
    find: 'earlier.subject = first.subject and',
    replace: 'false and',
    tests: 'tests/service/webhooks/dispatch.int.test.ts',
    failing: 'wait for a failed event and continue after its retry; events of other assets do not wait',
  },
  {
    guarantee: 'A stored response with a secret can be read only with the token of its request.',
    mutation: 'Responses are stored unencrypted.',
    file: 'server/src/platform/http/idempotency/idempotency.ts',
    find: 'if (encryptedFor === undefined) return plain',
    replace: 'if (plain) return plain',
    tests: `${uploads}/upload-secrets.routes.int.test.ts`,
    failing: 'is encrypted in the stored response',
  },
  {
    guarantee: 'Webhooks never connect to a private address, whatever a name resolves to.',
    mutation: 'The addresses of a name are not checked.',
    file: 'server/src/platform/network/guarded-agent.ts',
    find: 'if (!first || !addresses.every(({ address }) => isAllowed(address, target)))',
    replace: 'if (!first)',
    tests: 'server/src/platform/network/guarded-agent.test.ts',
    failing: 'refuses a host name that resolves to a forbidden address on a later connection',
  },
  {
    guarantee: 'Programs that read uploaded files cannot reach a network, not even the loopback interface.',
    mutation: 'The sandbox shares the network of the host.',
    file: 'media/src/sandbox/sandbox-arguments.ts',
    find: "  ['--unshare-net'],\n",
    replace: '',
    tests: 'media/src/sandbox/sandbox.int.test.ts',
    failing: 'reaches no network, not even this machine, with and without a relay',
  },
  {
    guarantee: 'Each asset of a bulk operation is changed exactly once, also if its worker is killed.',
    mutation: 'A batch is removed in a transaction of its own.',
    file: 'server/src/modules/bulk-operations/bulk-run.ts',
    find: 'store.deleteNextBatch(tx, id)',
    replace: 'store.deleteNextBatch(db, id)',
    tests: 'tests/service/bulk/killed-worker.int.test.ts',
    failing: 'a worker that is killed during a batch neither repeats nor skips an asset',
  },
  {
    guarantee: 'A token or member that is limited to a folder finds nothing outside of it.',
    mutation: 'The policy on folders ignores the limit.',
    file: 'server/migrations/0155_limits_of_principals.sql',
    find: "  using ((select current_setting('app.is_limited', true)) is distinct from 'yes' or place_in_limits(",
    replace: '  using (true or place_in_limits(',
    tests: 'server/src/modules/grants/folder-limits.routes.int.test.ts',
    failing: 'finds the folder and what is below it, and nothing else',
  },
  {
    guarantee: 'An organization that has an owner never loses the last one.',
    mutation: 'The check for another owner always passes.',
    file: 'server/src/modules/grants/grants.ts',
    find: 'if (await hasOwner(tx)) return',
    replace: 'if (tx) return',
    tests: 'server/src/modules/members/members.routes.int.test.ts',
    failing: 'is not removed with the token that invited it',
  },
  {
    guarantee: 'An account that is locked after failed attempts refuses the right password, too.',
    mutation: 'The lock is not tested.',
    file: 'server/src/modules/sign-in/passwords/password-sign-in.ts',
    find: 'isRight && !isLocked &&',
    replace: 'isRight &&',
    tests: 'server/src/modules/sign-in/passwords/passwords.routes.int.test.ts',
    failing: 'locks the account after ten failures from anywhere; the right password is then refused as well',
  },
  {
    guarantee: 'Another site cannot use the session of a person to change something.',
    mutation: 'Requests of every origin are accepted.',
    file: 'server/src/platform/http/access/same-origin.ts',
    find: 'if (isOurs) return',
    replace: 'if (isOurs || ours) return',
    tests: 'server/src/modules/sign-in/sign-in.routes.int.test.ts',
    failing: 'cannot sign a browser in or out: %s',
  },
  {
    guarantee: 'A session that ends on one instance of the API ends on all of them.',
    mutation: 'Sessions are cached for an hour.',
    file: 'server/src/modules/sessions/session-principals.ts',
    find: 'cacheSeconds: 1,',
    replace: 'cacheSeconds: 3600,',
    tests: 'tests/service/people/two-instances.int.test.ts',
    failing: 'a sign-out on one instance ends the requests and streams of the session on the other',
  },
  {
    guarantee: 'A refusal is in the audit log before its response is sent, also if the process is killed then.',
    mutation: 'The response does not wait for the entry.',
    file: 'server/src/modules/audit/request-audit.ts',
    find: 'if (statusCode === FORBIDDEN) return writer',
    replace: 'if (statusCode === FORBIDDEN) return void writer',
    tests: 'tests/service/audit/killed-api.int.test.ts',
    failing: 'no refusal or change whose response was sent is missing from the log after the API is killed',
  },
  {
    guarantee: 'A change of an entry of the audit log is found.',
    mutation: 'The verification does not compute the hashes.',
    file: 'server/src/modules/audit/audit.rules.ts',
    find: 'if (entry.hash !== hash)',
    replace: 'if (!hash)',
    tests: 'tests/service/audit/admin-audit.int.test.ts',
    failing: 'prints the end of an intact log, and the first broken entry of another',
  },
  ...faultGuarantees,
]

/** Returns the text of docs/guarantees.md. */
export function guaranteesPage(): string {
  const rows = guarantees.map(
    ({ guarantee, mutation, file, tests, failing }) =>
      `| ${guarantee} | ${mutation} ([code](../${file})) | [${failing.replace('%s: ', '')}](../${tests}) |`,
  )
  return [
    '# Guarantees and the tests that protect them',
    '',
    '`pnpm long mutations` breaks each guarantee once, in a line or two, and requires the named test to fail.',
    'The list is `tools/mutations/guarantees.ts`; `pnpm generate` writes this page.',
    '',
    '| guarantee | broken by | test that fails |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
