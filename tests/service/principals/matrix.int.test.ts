/**
 * Every operation, called by every role that is limited to a folder, for something in every place. The audit log
 * contains every change and every refusal.
 */
import { includesScope, type Problem, roles, type Scope } from '@reelkeep/contract'
import { type Caller, newMember, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { type OperationId, operationIds, operationOf } from '../errors/every-operation.ts'
import { type AuditedCall, auditedCall, compareWithLog } from './audited-calls.ts'
import { isVisible, MARKER, newLibrary, type Place, places, type Resources } from './places.ts'
import { notFoundCode, recipes, requestFor } from './recipes.ts'

const superuser = await opened(Superuser.open())

const ranked = [...operationIds].sort((a, b) => (recipes[a].rank ?? 0) - (recipes[b].rank ?? 0))

type Outcome = 'allowed' | 'insufficient_scope' | 'outside_folder' | 'not found' | 'invalid recipe'

function expected(id: OperationId, scopes: readonly Scope[], place: Place): Outcome {
  const operation = operationOf(id)
  if (!operation.scopes.every((scope) => includesScope(scopes, scope))) return 'insufficient_scope'
  if (operation.isOrganizationWide) return 'outside_folder'
  if (isVisible(place) || (notFoundCode(id) === undefined && recipes[id].outside === undefined)) return 'allowed'
  return 'not found'
}

function outcomeOf(id: OperationId, { code }: Partial<Problem>): Outcome {
  if (code === 'insufficient_scope' || code === 'outside_folder') return code
  if (code === 'invalid_request' || code === 'unknown_field') return 'invalid recipe'
  return code !== undefined && [notFoundCode(id), recipes[id].outside].includes(code) ? 'not found' : 'allowed'
}

/**
 * Sends the request, adds it to `calls`, and returns its outcome and whether the response contains something outside.
 */
async function call(caller: Caller, id: OperationId, resources: Resources, calls: AuditedCall[] = []) {
  const { method, path, body } = requestFor(id, resources)
  const response = await caller.send<Partial<Problem> | undefined>(method, path, body)
  calls.push(auditedCall(id, response))
  return {
    status: response.status < 500 ? 'below 500' : response.text,
    outcome: outcomeOf(id, response.status >= 400 ? (response.body ?? {}) : {}),
    leak: response.text.includes(MARKER) ? response.text : undefined,
  }
}

const builtIn = Object.entries(roles.builtInRoles) as [string, { scopes: readonly Scope[]; isOwnOnly?: true }][]

describe.each(builtIn)('a member with the role %s who is limited to a folder', (role, { scopes, isOwnOnly }) => {
  it('is allowed or refused every operation in every place as designed, reads nothing from outside, and is audited', async () => {
    // It is closed below: only then does it record the refusals of the last minute.
    const api = await TestApi.open()
    const [owner, other] = [await api.newOrganization(), await api.newOrganization()]
    const { limitFolder, resources } = await newLibrary(owner, other)
    const member = await newMember(superuser, owner, {
      ...{ role, scopes, folderUuid: limitFolder, ownOnly: isOwnOnly ?? false },
    })
    if (isOwnOnly) {
      for (const table of ['assets', 'bulk_operations']) {
        await superuser.query(`update ${table} set created_by = $2 where organization_id = $1`, [
          ...[owner.organizationId, member.id],
        ])
      }
    }
    const differences: unknown[] = []
    const calls: AuditedCall[] = []
    for (const id of ranked) {
      for (const place of places) {
        const actual = await call(member.caller, id, resources[place], calls)
        const designed = { status: 'below 500', outcome: expected(id, scopes, place), leak: undefined }
        if (JSON.stringify(actual) !== JSON.stringify(designed)) differences.push({ id, place, designed, actual })
      }
    }
    expect(differences).toEqual([])
    // The credential of one organization is unknown in the other.
    const elsewhere = await member.caller.at(other.organizationId).get<Problem>('assets/')
    expect(elsewhere.body.code).toBe('organization_not_found')
    await api[Symbol.asyncDispose]()
    const { changes, refused, ...log } = await compareWithLog(superuser, member.id, calls)
    process.stdout.write(`${role}: ${changes} changes and ${refused} refusals in the audit log\n`)
    expect(log).toEqual({ wrong: [], missingChanges: [], uncounted: 0 })
    expect(refused).toBeGreaterThan(0)
  })
})

describe('a token without limits', () => {
  it('is allowed what concerns the organization, so the markers are really there', async () => {
    await using testApi = await TestApi.open()
    const [owner, other] = [await testApi.newOrganization(), await testApi.newOrganization()]
    const { resources } = await newLibrary(owner, other)
    const lists = ['listAssets', 'listFolders', 'readFolderTree', 'listTrash', 'listEvents', 'streamEvents'] as const
    for (const id of [...lists, 'listUploadSessions', 'listTokens', 'listBulkOperations'] as const) {
      const { outcome, leak } = await call(owner, id, resources.outside)
      expect([id, outcome]).toEqual([id, 'allowed'])
      if ((lists as readonly string[]).includes(id)) expect([id, leak !== undefined]).toEqual([id, true])
    }
  })
})
