/** The actions that the dashboard offers to each role, and the same requests to the API. */
import { processAsset, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { joinWithPassword, openDashboardFixture } from './dashboard-fixture.ts'
import { PASSWORD } from './page-states.ts'

const fixture = await opened(openDashboardFixture('dashboard_roles'))
const { caller, origin, organizationId } = fixture

const owner = ['owner']
const managers = [...owner, 'manager']
const editors = [...managers, 'editor', 'editor of one folder', 'manager of one folder']
const uploaders = [...editors, 'uploader']
const everyone = [...uploaders, 'viewer']

const ids = { folder: '', inner: '', outer: '', video: '', queued: '', trashed: '', outside: '', ready: '' }

type Request = readonly [method: string, path: () => string, body?: object]
type Action = { readonly request: Request; readonly roles: readonly string[] }

/** The main actions, the request of each, and the roles that permit it. */
const actions = {
  Upload: {
    request: ['POST', () => 'assets/upload-sessions/', { title: 'New', resolutions: ['240p'] }],
    roles: uploaders,
  },
  'Create a folder': { request: ['POST', () => 'assets/folders/', { title: 'New' }], roles: uploaders },
  'Rename a folder': { request: ['PATCH', () => `assets/folders/${ids.inner}/`, { title: 'New' }], roles: editors },
  'Move a folder': { request: ['POST', () => `assets/folders/${ids.inner}/move/`, { parent: null }], roles: editors },
  'Delete a folder': { request: ['DELETE', () => `assets/folders/${ids.inner}/`], roles: editors },
  'Change many videos': {
    request: ['POST', () => 'bulk-operations/', { action: 'add_tags', filter: {}, tags: ['new'] }],
    roles: editors,
  },
  'Edit the title': { request: ['PATCH', () => `assets/${ids.video}/`, { title: 'New' }], roles: editors },
  'Move a video': { request: ['POST', () => `assets/${ids.video}/move/`, { folder: null }], roles: editors },
  'Change the cover': { request: ['PUT', () => `assets/${ids.video}/cover/`, { at_seconds: 1 }], roles: editors },
  'Add a chapter': {
    request: ['POST', () => `assets/${ids.video}/chapters/`, { chapters: [{ title: 'New', start_time: '00:00:01' }] }],
    roles: editors,
  },
  'Add captions': {
    request: ['POST', () => `assets/${ids.video}/subtitles/`, { language: 'en', content: 'WEBVTT' }],
    roles: editors,
  },
  'Make a clip': {
    request: ['POST', () => `assets/${ids.ready}/clips/`, { start_seconds: 0, end_seconds: 1 }],
    roles: editors,
  },
  'Trim a video': {
    request: ['PUT', () => `assets/${ids.ready}/trim/`, { start_seconds: 0, end_seconds: 1 }],
    roles: editors,
  },
  'Upload a version': { request: ['POST', () => `assets/${ids.video}/versions/`, {}], roles: editors },
  'Cancel processing': { request: ['POST', () => `assets/${ids.queued}/cancel/`], roles: editors },
  Share: {
    request: ['POST', () => `assets/${ids.video}/access-tokens/`, { expires_in_seconds: 60 }],
    roles: editors,
  },
  'Set a legal hold': {
    request: ['PATCH', () => `assets/${ids.video}/`, { legal_hold: true }],
    roles: [...managers, 'manager of one folder'],
  },
  'Delete a video': { request: ['DELETE', () => `assets/${ids.video}/`], roles: editors },
  'Restore a video': { request: ['POST', () => `assets/${ids.trashed}/restore/`], roles: editors },
  'Delete forever': { request: ['DELETE', () => `assets/${ids.trashed}/?permanently=true`], roles: editors },
  'Invite a member': {
    request: ['POST', () => 'invitations/', { email: 'new@example.org', role: 'viewer' }],
    roles: managers,
  },
  'Create a role': { request: ['POST', () => 'roles/', { name: 'New', scopes: ['assets:read'] }], roles: managers },
  'Change the organization': { request: ['PATCH', () => 'organization/', { name: 'New' }], roles: managers },
  'See the usage': { request: ['GET', () => 'usage/'], roles: managers },
  'See the audit log': { request: ['GET', () => 'audit/'], roles: managers },
  'Create a token': {
    request: ['POST', () => 'tokens/', { name: 'New', scopes: ['assets:read'] }],
    roles: [...managers, 'manager of one folder'],
  },
  'Create a signing key': { request: ['POST', () => 'signing-keys/', { name: 'New' }], roles: owner },
  'Create a webhook': {
    request: ['POST', () => 'webhooks/', { url: 'https://example.org/events' }],
    roles: managers,
  },
  'See events': { request: ['GET', () => 'events/'], roles: everyone },
} as const satisfies Record<string, Action>

type ActionName = keyof typeof actions

/** Names of controls on the pages of the settings. */
const settings: Readonly<Record<string, readonly [section: string, name: RegExp, role: 'button' | 'heading']>> = {
  'Invite a member': ['Members', /^Invite a member$/, 'button'],
  'Create a role': ['Roles', /^Create a role$/, 'button'],
  'Change the organization': ['Organization', /^Save changes$/, 'button'],
  'See the usage': ['Usage', /^Usage$/, 'heading'],
  'See the audit log': ['Audit log', /^Audit log$/, 'heading'],
  'Create a token': ['API tokens', /^Create a token$/, 'button'],
  'Create a signing key': ['Signing keys', /^Create a key$/, 'button'],
  'Create a webhook': ['Webhooks', /^Create a webhook$/, 'button'],
  'See events': ['Events', /^Events$/, 'heading'],
}

const urlOf = (path: string) => `${origin}/o/${organizationId}/${path}`
const newVideo = async (title: string, folder: string) =>
  (await caller.post<{ asset: { id: string } }>('assets/upload-sessions/', { title, resolutions: ['240p'], folder }))
    .body.asset.id
const newFolder = async (title: string, parent: string | null) =>
  (await caller.post<{ uuid: string }>('assets/folders/', { title, parent })).body.uuid

ids.folder = await newFolder('Concerts', null)
ids.inner = await newFolder('Inside', ids.folder)
ids.outer = await newFolder('Outside', null)
ids.video = await newVideo('Encore', ids.inner)
// Without a worker, the video stays in the queue.
ids.queued = (await uploadAsset(caller, { title: 'Queued', folder: ids.inner })).asset.id
ids.ready = (await uploadAsset(caller, { title: 'Applause', folder: ids.inner })).asset.id
await processAsset({ organizationId, assetId: ids.ready }, fixture.env)
ids.outside = await newVideo('Elsewhere', ids.outer)
ids.trashed = await newVideo('Regretted', ids.inner)
await caller.delete(`assets/${ids.trashed}/`)

/** Opens the home page as a new member. */
async function join(name: string) {
  const { page, problems } = await fixture.newPage({ viewport: { width: 1280, height: 900 } })
  const [role = ''] = name.split(' ')
  const limits = name.endsWith('of one folder') ? { folder_uuid: ids.folder } : {}
  const link = await fixture.invite(`${name.replaceAll(' ', '-')}@example.org`, { role, ...limits })
  await joinWithPassword(page, link, `The ${name}`, PASSWORD)
  return { page, problems }
}

type Found = Set<ActionName>

async function findIn(page: Page, found: Found, names: Partial<Record<ActionName, string>>): Promise<void> {
  for (const [action, name] of Object.entries(names)) {
    const controls = page.getByRole('button', { name, exact: true }).or(page.getByRole('menuitem', { name }))
    if ((await controls.count()) > 0) found.add(action as ActionName)
  }
}

async function lookAtLibrary(page: Page, found: Found): Promise<void> {
  await page.goto(urlOf(`library?folder=${ids.inner}`))
  await page.getByRole('row', { name: 'Inside', exact: true }).waitFor()
  await page.getByRole('option', { name: 'Encore' }).or(page.getByText('This folder has no videos')).waitFor()
  await findIn(page, found, { Upload: 'Upload', 'Create a folder': 'New folder' })
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Settings').waitFor()
  if ((await page.getByRole('dialog').getByText('Uploads').count()) > 0) found.add('Upload')
  await page.keyboard.press('Escape')
  const menu = page.getByRole('button', { name: 'Actions for Inside' })
  if ((await menu.count()) > 0) {
    await menu.click()
    await page.getByRole('menuitem').first().waitFor()
    await findIn(page, found, { 'Rename a folder': 'Rename', 'Move a folder': 'Move to…', 'Delete a folder': 'Delete' })
    await page.keyboard.press('Escape')
  }
  const list = page.getByRole('listbox', { name: 'Videos' })
  if ((await list.count()) === 0) return
  await list.press('Control+a')
  if ((await page.getByRole('toolbar', { name: 'Selected videos' }).count()) > 0) found.add('Change many videos')
}

async function lookAtVideo(page: Page, found: Found): Promise<void> {
  await page.goto(urlOf(`videos/${ids.video}`))
  await page.getByRole('heading', { level: 1, name: /Encore|This video does not exist/ }).waitFor()
  await findIn(page, found, {
    ...{ 'Edit the title': 'Edit title', 'Add a chapter': 'Add chapter', 'Delete a video': 'Move to trash' },
    ...{ Share: 'Share', 'Move a video': 'Move to…', 'Change the cover': 'Upload image' },
  })
  if ((await page.getByLabel('Legal hold').count()) > 0) found.add('Set a legal hold')
  if ((await page.getByRole('tab').count()) === 0) return
  await page.getByRole('tab', { name: 'Captions' }).click()
  await findIn(page, found, { 'Add captions': 'Add captions' })
  await page.getByRole('tab', { name: 'Files' }).click()
  await findIn(page, found, { 'Upload a version': 'Upload a new version' })
}

async function lookAtReady(page: Page, found: Found): Promise<void> {
  await page.goto(urlOf(`videos/${ids.ready}`))
  await page.getByRole('heading', { level: 1, name: /Applause|This video does not exist/ }).waitFor()
  const menu = page.getByRole('button', { name: 'Cut', exact: true })
  if ((await menu.count()) === 0) return
  await menu.click()
  await page.getByRole('menuitem').first().waitFor()
  await findIn(page, found, { 'Make a clip': 'Make a clip', 'Trim a video': 'Trim the video' })
}

async function lookAtQueued(page: Page, found: Found): Promise<void> {
  await page.goto(urlOf(`videos/${ids.queued}`))
  await page
    .getByText('In the queue')
    .or(page.getByRole('heading', { level: 1, name: 'This video does not exist' }))
    .first()
    .waitFor()
  await findIn(page, found, { 'Cancel processing': 'Cancel processing' })
}

async function lookAtTrash(page: Page, found: Found): Promise<void> {
  await page.goto(urlOf('trash'))
  await page.getByText('Regretted').or(page.getByText('The trash is empty')).first().waitFor()
  await findIn(page, found, {
    'Restore a video': 'Restore Regretted',
    'Delete forever': 'Delete forever: Regretted',
  })
}

async function lookAtSettings(page: Page, found: Found): Promise<void> {
  await page.goto(urlOf('settings'))
  const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
  await links.first().waitFor()
  for (const [action, [section, name, role]] of Object.entries(settings)) {
    const link = links.filter({ hasText: new RegExp(`^${section}$`) })
    if ((await link.count()) === 0) continue
    await link.click()
    await page.getByRole('heading', { level: 1, name: section, exact: true }).waitFor()
    await page.getByRole('main').getByText('Do this with the API').waitFor()
    // The form is shown when the settings have been read.
    if (section === 'Organization') await page.getByLabel('Days in the trash').waitFor()
    if ((await page.getByRole(role, { name }).count()) > 0) found.add(action as ActionName)
  }
}

/** Sends requests with the cookie of the page, as its scripts do, and returns their statuses. */
const send = (page: Page, requests: readonly { method: string; path: string; body?: object }[]) =>
  page.evaluate<number[]>(`Promise.all(${JSON.stringify(requests)}.map(({ method, path, body }) =>
    fetch('/api/v1/${organizationId}/' + path, { method, ...(body && {
      headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }) })
    .then(({ status }) => status)))`)

const withUnknown = (path: string) => `${path}${path.includes('?') ? '&' : '?'}unknown=1`

describe.each(everyone)('the role %s', (role) => {
  it('is offered what it permits and nothing else, and the API refuses the rest', async () => {
    const { page, problems } = await join(role)
    const found: Found = new Set()
    await lookAtLibrary(page, found)
    await lookAtVideo(page, found)
    await lookAtReady(page, found)
    await lookAtQueued(page, found)
    await lookAtTrash(page, found)
    await lookAtSettings(page, found)
    const names = Object.keys(actions) as ActionName[]
    const permitted = names.filter((name) => (actions[name].roles as readonly string[]).includes(role))
    expect([...found].toSorted()).toEqual(permitted.toSorted())
    // Permitted requests get an unknown parameter, so that they change nothing.
    const requests = names.map((name) => {
      const [method, path, body] = actions[name].request as Request
      return { method, path: permitted.includes(name) ? withUnknown(path()) : path(), ...(body && { body }) }
    })
    const statuses = await send(page, requests)
    expect(Object.fromEntries(names.map((name, index) => [name, statuses[index]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, permitted.includes(name) ? 400 : 403])),
    )
    expect(problems).toEqual([])
    await page.context().close()
  })
})
