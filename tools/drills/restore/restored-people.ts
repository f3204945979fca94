/** People who are added shortly before a loss. After the restore, they must be there, and so must their audit log. */
import { randomUUID } from 'node:crypto'
import type { Scope } from '@reelkeep/contract'
import type { Caller, TestBrowser } from '@reelkeep/testkit'
import type { DrillReport } from '../support/drill-report.ts'
import type { AdminAnswer } from './backed-up-storage.ts'

/** What was acknowledged before the loss. */
export type People = {
  readonly role: { readonly id: string; readonly name: string; readonly scopes: readonly Scope[] }
  readonly member: { readonly email: string; readonly password: string }
  /** An invitation that is not accepted yet. */
  readonly invitation: { readonly id: string; readonly email: string; readonly link: string }
}

type Links = { readonly id: string; readonly link: string }

const tokenIn = (link: string) => new URL(link).hash.slice(1)

/** Creates a role, a member with this role who has accepted an invitation, and another invitation. */
export async function addPeople(caller: Caller, browser: TestBrowser): Promise<People> {
  const name = `Archivist ${randomUUID()}`
  const scopes: readonly Scope[] = ['assets:read', 'folders:read']
  const role = await created(caller.post<{ id: string }>('roles/', { name, scopes }))
  const invite = async (email: string) => created(caller.post<Links>('invitations/', { email, role: role.id }))
  const member = { email: `${randomUUID()}@example.org`, password: `correct horse ${randomUUID()}` }
  const accepted = await browser.post(`invitations/${tokenIn((await invite(member.email)).link)}/accept/`, {
    ...{ name: 'Ada', password: member.password },
  })
  if (accepted.status !== 200) throw new Error(`The invitation was not accepted: ${accepted.text}`)
  const email = `${randomUUID()}@example.org`
  return { role: { id: role.id, name, scopes }, member, invitation: { email, ...(await invite(email)) } }
}

async function created<Body>(
  sending: Promise<{ readonly status: number; readonly text: string; readonly body: Body }>,
) {
  const { status, text, body } = await sending
  if (status !== 201) throw new Error(`Expected 201: ${status} ${text}`)
  return body
}

type Access = {
  readonly caller: Caller
  /** Browsers without cookies. */
  readonly newBrowser: () => TestBrowser
  readonly admin: (...args: string[]) => Promise<AdminAnswer>
}

/** Checks role, member and invitation, and verifies the audit log with the command of the operator. */
export async function checkPeople(
  report: DrillReport,
  { name, people }: { readonly name: string; readonly people: People },
  { caller, newBrowser, admin }: Access,
): Promise<void> {
  const { role, member, invitation } = people
  const found = await caller.get<{ name: string; scopes: readonly string[] }>(`roles/${role.id}/`)
  const isSame = found.body.name === role.name && role.scopes.every((scope) => found.body.scopes.includes(scope))
  report.check(`${name}: the new role`, found.status, { isPassed: found.status === 200 && isSame })
  const browser = newBrowser()
  const signedIn = await browser.post('sign-in/password/', member)
  const folders = await browser.get(`/api/v1/${caller.organizationId}/assets/folders/`)
  report.check(`${name}: the new member signs in and lists folders`, `${signedIn.status}, ${folders.status}`, {
    ...{ isPassed: signedIn.status === 200 && folders.status === 200, details: [signedIn.text, folders.text] },
  })
  const link = await newBrowser().get<{ email: string }>(`invitations/${tokenIn(invitation.link)}/`)
  report.check(`${name}: the new invitation`, link.status, { isPassed: link.body.email === invitation.email })
  await checkAudit(report, name, { people, caller, admin })
}

type AuditLog = { readonly organization: string; readonly entries: number; readonly result: string }

type Checked = Pick<Access, 'caller' | 'admin'> & { readonly people: People }

/** The log must be intact and contain the entry of the last change before the loss. */
async function checkAudit(report: DrillReport, name: string, { people, caller, admin }: Checked): Promise<void> {
  const { code, result, stderr } = await admin('verify-audit', caller.organizationId)
  const [log] = (result['audit_logs'] ?? []) as readonly AuditLog[]
  report.check(`${name}: the audit log`, log ? `${log.entries} entries, ${log.result}` : `exit ${code}`, {
    ...{ isPassed: code === 0 && log?.result === 'intact' && log.entries > 0, details: [stderr] },
  })
  for (const { id } of [people.role, people.invitation]) {
    const entries = await caller.get<{ results: readonly { action: string }[] }>(`audit/?object=${id}`)
    const actions = entries.body.results.map(({ action }) => action).join(', ')
    report.check(`${name}: entries about the new object`, actions, {
      isPassed: /^create(Role|Invitation)$/.test(actions),
    })
  }
}
