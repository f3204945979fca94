/** The player as people use it, on the hosted page, with a video that the service has made. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { faultsOfAccess } from '../browser/access-faults.ts'
import { FILM_SECONDS, filmChapters, SCENE_SECONDS } from './film.ts'
import { openForeignPage } from './foreign-page.ts'
import { openPlaybackStage } from './playback-stage.ts'
import { inPlayer, reallyPlays, seen, watchUntil } from './watching.ts'

const stage = await opened(openPlaybackStage('playback_player'))
const video = await stage.newVideo('disable')

const phone = { viewport: { width: 390, height: 220 }, hasTouch: true, isMobile: true }

async function openPlayer(more = '', options = {}): Promise<Page> {
  const page = await stage.newPage(options)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()))
  await page.goto(video.pageUrl + more)
  await page.locator('.frame[data-state=ready]').waitFor()
  // A policy that stops something of ours would be told here.
  expect(errors).toEqual([])
  return page
}

/** While it plays, the controls are there for who moves. */
async function wake(page: Page): Promise<void> {
  await page.mouse.move(100, 60)
  await page.mouse.move(120, 80)
}

async function press(page: Page, name: string): Promise<void> {
  await wake(page)
  await page.getByRole('button', { name, exact: true }).click()
}

const secondsOf = async (page: Page) => (await seen(page)).seconds
const playing = async (page: Page) => {
  await page.keyboard.press('k')
  await watchUntil(page, ({ seconds, isPaused }) => !isPaused && seconds > 0.2)
}

describe('playing', () => {
  it('begins with a press, goes on, and its picture changes', async () => {
    const page = await openPlayer()
    await press(page, 'Play')
    expect(await reallyPlays(page)).toMatchObject({ plays: true, fault: null })
  })

  it('asks nobody but the service for anything', async () => {
    const page = await stage.newPage()
    const strangers: string[] = []
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(stage.api.baseUrl) && !url.startsWith('blob:')) strangers.push(url)
    })
    await page.goto(`${video.pageUrl}?autoplay=1&muted=1`)
    await watchUntil(page, ({ seconds }) => seconds > 1)
    expect(strangers).toEqual([])
    expect(await page.context().cookies()).toEqual([])
  })

  it('ends at the end, and begins again', async () => {
    const page = await openPlayer(`#t=${FILM_SECONDS - 2}`)
    await playing(page)
    expect(await watchUntil(page, ({ hasEnded }) => hasEnded)).toMatchObject({ hasEnded: true })
    await press(page, 'Play again')
    const again = await watchUntil(page, ({ seconds }) => seconds > 0.5 && seconds < 5)
    expect(again.seconds).toBeLessThan(5)
  })

  it('is done by the page around it as well', async () => {
    const page = await openPlayer()
    await page.evaluate(`{
      globalThis.heard = []
      const player = document.querySelector('reelkeep-player')
      for (const name of ['play', 'timeupdate', 'pause', 'chapterchange']) {
        player.addEventListener(name, ({ type }) => heard.includes(type) || heard.push(type))
      }
      player.volume = 0
      player.seekToChapter(3)
      player.play()
    }`)
    await watchUntil(page, ({ seconds }) => seconds > 2 * SCENE_SECONDS + 0.5)
    await page.evaluate('document.querySelector("reelkeep-player").pause()')
    await expect.poll(() => page.evaluate('heard.length')).toBe(4)
    expect(await page.evaluate('document.querySelector("reelkeep-player").duration')).toBeCloseTo(
      FILM_SECONDS,
      0,
    )
  })
})

describe('chapters', () => {
  it('part the timeline, stand in a menu with pictures, and lead where they begin', async () => {
    const page = await openPlayer()
    expect(await page.locator('.piece').count()).toBe(filmChapters.length)
    await press(page, 'Chapters')
    const items = page.getByRole('menuitemradio')
    expect(await items.allInnerTexts()).toEqual(
      filmChapters.map(({ title }, index) =>
        expect.stringMatching(`${title}\\s+0:${String(index * SCENE_SECONDS).padStart(2, '0')}`),
      ),
    )
    await expect.poll(() => page.locator('.item-picture').count()).toBe(filmChapters.length)
    await items.nth(3).click()
    await expect.poll(() => secondsOf(page)).toBeCloseTo(3 * SCENE_SECONDS, 1)
    await expect.poll(() => page.locator('.chapter').textContent()).toContain('The long dusk')
  })

  it('are gone through by keys, and the menu too', async () => {
    const page = await openPlayer()
    await page.keyboard.press('n')
    await expect.poll(() => secondsOf(page)).toBeCloseTo(SCENE_SECONDS, 1)
    await page.keyboard.press('n')
    await expect.poll(() => secondsOf(page)).toBeCloseTo(2 * SCENE_SECONDS, 1)
    await page.keyboard.press('p')
    await expect.poll(() => secondsOf(page)).toBeCloseTo(SCENE_SECONDS, 1)
    await page.getByRole('button', { name: 'Chapters', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await expect.poll(() => secondsOf(page)).toBeCloseTo(4 * SCENE_SECONDS, 1)
    expect(await page.locator('.menu').isVisible()).toBe(false)
    const focused = await page.evaluate(
      'document.querySelector("reelkeep-player").shadowRoot.activeElement.ariaLabel',
    )
    expect(focused).toBe('Chapters')
  })
})

it('the timeline shows a picture, the chapter and the time of where one points, and seeks there', async () => {
  const page = await openPlayer()
  const box = await page.locator('.timeline').boundingBox()
  if (!box) throw new Error('There is no timeline')
  const at = box.x + box.width * 0.7
  // The pictures come a moment later than the rest.
  await expect
    .poll(async () => {
      await page.mouse.move(at + Math.random(), box.y + 12)
      return page.locator('.preview .picture').isVisible()
    })
    .toBe(true)
  expect(await page.locator('.preview').textContent()).toBe('The long dusk0:31')
  const background = await inPlayer(
    page,
    'getComputedStyle(root.querySelector(".picture > span")).backgroundImage',
  )
  expect(background).toMatch(/^url\("http.*storyboard-1\.jpg"\)$/)
  await page.mouse.click(at, box.y + 12)
  await expect.poll(() => secondsOf(page)).toBeCloseTo(FILM_SECONDS * 0.7, 0)
})

it('captions are shown when they are turned on, and again on the next visit', async () => {
  const page = await openPlayer('#t=3')
  await playing(page)
  expect(await page.locator('.caption').count()).toBe(0)
  await press(page, 'Captions')
  await expect
    .poll(() => page.locator('.caption').allInnerTexts())
    .toEqual(['The valley is quiet before the first light.'])
  await page.goto('about:blank')
  await page.goto(`${video.pageUrl}#t=12`)
  await page.locator('.frame[data-state=ready]').waitFor()
  await playing(page)
  await expect
    .poll(() => page.locator('.caption').allInnerTexts())
    .toEqual(['Mist rises from the river and drifts between the hills.'])
  await page.keyboard.press('c')
  expect(await page.locator('.caption').count()).toBe(0)
})

describe('settings', () => {
  it('choose a picture', async () => {
    const page = await openPlayer()
    await press(page, 'Settings')
    await page.getByRole('menuitem', { name: /Quality/ }).click()
    expect(await page.getByRole('menuitemradio').allInnerTexts()).toEqual([
      'Automatic',
      '480p',
      '240p',
    ])
    await page.getByRole('menuitemradio', { name: '240p' }).click()
    await playing(page)
    await expect.poll(() => inPlayer(page, 'video.videoHeight')).toBe(240)
  })

  it('choose a speed, and so do keys', async () => {
    const page = await openPlayer()
    const rate = () => inPlayer(page, 'video.playbackRate')
    await press(page, 'Settings')
    await page.getByRole('menuitem', { name: /Speed/ }).click()
    await page.getByRole('menuitemradio', { name: '1.5×' }).click()
    expect(await rate()).toBe(1.5)
    await page.keyboard.press('>')
    expect(await rate()).toBe(1.75)
    await page.keyboard.press('<')
    expect(await rate()).toBe(1.5)
  })
})

it('keys do what the list of keys says', async () => {
  const page = await openPlayer()
  await page.keyboard.press('5')
  await expect.poll(() => secondsOf(page)).toBeCloseTo(FILM_SECONDS / 2, 0)
  const half = await secondsOf(page)
  for (const [key, step] of [
    ['ArrowRight', 5],
    ['ArrowLeft', 0],
    ['l', 10],
    ['j', 0],
  ] as const) {
    await page.keyboard.press(key)
    await expect.poll(() => secondsOf(page)).toBeCloseTo(half + step, 1)
  }
  await page.keyboard.press('m')
  expect(await inPlayer(page, 'video.muted')).toBe(true)
  await page.keyboard.press('f')
  await expect
    .poll(() => page.evaluate('document.fullscreenElement?.localName'))
    .toBe('reelkeep-player')
  await page.keyboard.press('f')
  await expect.poll(() => page.evaluate('document.fullscreenElement')).toBeNull()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press(' ')
  expect((await seen(page)).isPaused).toBe(false)
})

describe('where it begins', () => {
  it('is where one stopped, and can be the beginning', async () => {
    const page = await openPlayer()
    await page.keyboard.press('5')
    await playing(page)
    await watchUntil(page, ({ seconds }) => seconds > FILM_SECONDS / 2 + 1)
    await page.keyboard.press('k')
    const stopped = await secondsOf(page)
    await page.reload()
    await page.locator('.frame[data-state=ready]').waitFor()
    await page.getByText('Resumed at 0:2').waitFor()
    expect(await secondsOf(page)).toBeCloseTo(Math.floor(stopped), 0)
    await press(page, 'Start over')
    await expect.poll(() => secondsOf(page)).toBe(0)
  })

  it('is where the address says, whatever was before', async () => {
    const page = await openPlayer('#t=0m20s')
    expect(await secondsOf(page)).toBeCloseTo(20, 1)
    await page.evaluate('location.hash = "#chapter=2"')
    await expect.poll(() => secondsOf(page)).toBeLessThan(SCENE_SECONDS + 3)
    expect(await secondsOf(page)).toBeGreaterThanOrEqual(SCENE_SECONDS)
    const queried = await openPlayer('?start=15')
    expect(await secondsOf(queried)).toBeCloseTo(15, 1)
  })
})

describe('nobody is kept from using', () => {
  it.each<[string, object]>([
    ['at a desk', {}],
    ['on a phone', phone],
  ])('the page %s: at rest, playing, with a menu, with the help', async (_, options) => {
    const page = await openPlayer('', options)
    expect(await faultsOfAccess(page)).toEqual([])
    await playing(page)
    await page.keyboard.press('c')
    expect(await faultsOfAccess(page)).toEqual([])
    await press(page, 'Chapters')
    expect(await faultsOfAccess(page)).toEqual([])
    await page.keyboard.press('Escape')
    await press(page, 'Settings')
    expect(await faultsOfAccess(page)).toEqual([])
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await faultsOfAccess(page)).toEqual([])
  })

  it('the timeline by ear', async () => {
    const page = await openPlayer('#t=12')
    const slider = page.getByRole('slider', { name: 'Position in the video' })
    expect(await slider.getAttribute('aria-valuetext')).toBe(
      '12 seconds of 45 seconds, Morning mist',
    )
    await slider.focus()
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => slider.getAttribute('aria-valuenow')).toBe('17')
  })
})

it('fits a phone: nothing of the bar lies outside, and a touch finds it', async () => {
  const page = await openPlayer('', phone)
  const width = phone.viewport.width
  for (const button of await page.locator('.row > :visible').all()) {
    const box = await button.boundingBox()
    expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true)
  }
  const buttons = await page.locator('.row > button:visible').all()
  expect(buttons.length).toBeGreaterThanOrEqual(5)
  for (const button of buttons) {
    const box = await button.boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24)
  }
  await page.getByRole('button', { name: 'Play', exact: true }).first().tap()
  await watchUntil(page, ({ seconds }) => seconds > 0.5)
  await wake(page)
  await page.getByRole('button', { name: 'Chapters', exact: true }).tap()
  await page.getByRole('menuitemradio').nth(1).tap()
  await expect.poll(() => secondsOf(page)).toBeGreaterThanOrEqual(SCENE_SECONDS)
})

it('plays on a page of another origin, which only names its script', async () => {
  const page = await stage.newPage()
  const { organizationId } = stage.caller
  const html = `<!doctype html><title>Theirs</title>
    <script type="module" src="${stage.api.baseUrl}/embed/-/reelkeep-player.js"></script>
    <reelkeep-player muted resume="off" src="${stage.api.baseUrl}/play/open/${organizationId}/${video.assetId}/"></reelkeep-player>`
  await using theirs = await openForeignPage(html)
  await page.goto(theirs.url)
  expect(await reallyPlays(page)).toMatchObject({ plays: true, fault: null })
})

it('marks the picture with what its viewer is to be told by, and never for long in one place', async () => {
  const page = await stage.newPage({ reducedMotion: 'reduce' })
  await page.route('**/about.json', async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      json: { ...(await response.json()), watermark: 'zoe@example.com' },
    })
  })
  await page.goto(video.pageUrl)
  const mark = page.getByText('zoe@example.com')
  await mark.waitFor()
  const before = await mark.boundingBox()
  await expect.poll(() => mark.boundingBox(), { timeout: 20_000 }).not.toEqual(before)
  const box = await mark.boundingBox()
  expect(box && box.x >= 0 && box.x + box.width <= 960).toBe(true)
})
