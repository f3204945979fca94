/** Contents of the menus. */

import { messages } from '../messages.ts'
import { type PlayerState, SPEEDS } from '../player-state.ts'
import { indexAt } from '../timeline/chapters.ts'
import { paintTile, tileAt } from '../timeline/storyboard.ts'
import { clock } from '../timeline/time.ts'
import type { Captions } from './captions.ts'
import { element } from './dom.ts'
import type { MenuPage } from './menu.ts'

const THUMBNAIL_WIDTH = 72

export function chaptersPage(player: PlayerState): MenuPage {
  const current = indexAt(player.segments, player.time)
  const items = player.chapters.map(({ title, start }, index) => ({
    label: title,
    detail: clock(start),
    isChosen: index === current,
    choose: () => player.seekToStart(start),
    ...thumbnailAt(player, start),
  }))
  return { title: messages.chapters, name: 'chapters', items }
}

/** The thumbnail of a chapter is taken this much after its start, which often shows a transition. */
const THUMBNAIL_OFFSET_SECONDS = 1

function thumbnailAt(player: PlayerState, start: number): { thumbnail?: HTMLElement } {
  const tile = tileAt(player.tiles, start + THUMBNAIL_OFFSET_SECONDS)
  if (!tile) return {}
  const thumbnail = element('span', { class: 'item-picture' })
  paintTile(thumbnail, tile, THUMBNAIL_WIDTH)
  return { thumbnail }
}

export function settingsPage(player: PlayerState, captions: Captions, showHelp: () => void): MenuPage {
  const back = () => settingsPage(player, captions, showHelp)
  const qualities = player.engine?.qualities() ?? []
  return {
    title: messages.settings,
    name: 'settings',
    items: [
      ...(qualities.length > 1
        ? [
            {
              label: messages.quality,
              icon: 'quality' as const,
              detail: qualityName(player),
              page: () => ({ ...qualityPage(player), back }),
            },
          ]
        : []),
      {
        label: messages.speed,
        icon: 'speed',
        detail: speedName(player.video.playbackRate),
        page: () => ({ ...speedPage(player), back }),
      },
      ...(captions.tracks().length > 0
        ? [
            {
              label: messages.captions,
              icon: 'captions' as const,
              detail: captions.shown()?.label ?? messages.captionsOff,
              page: () => ({ ...captionsPage(captions), back }),
            },
          ]
        : []),
      { label: messages.keyboard, icon: 'keyboard', choose: showHelp },
    ],
  }
}

const heightName = (height: number) => `${height}p`

function qualityName({ engine }: PlayerState): string {
  const chosen = engine?.chosen()
  if (chosen) return heightName(chosen.height)
  const shown = engine?.shownHeight()
  return shown === undefined ? messages.automaticQuality : `${messages.automaticQuality} (${shown}p)`
}

function qualityPage({ engine }: PlayerState): MenuPage {
  const chosen = engine?.chosen() ?? null
  const toItem = (quality: Parameters<NonNullable<typeof engine>['choose']>[0], label: string) => ({
    label,
    isChosen: chosen?.height === quality?.height,
    choose: () => engine?.choose(quality),
  })
  const items = (engine?.qualities() ?? []).map((quality) => toItem(quality, heightName(quality.height)))
  return {
    title: messages.quality,
    name: 'quality',
    items: [toItem(null, messages.automaticQuality), ...items],
  }
}

const speedName = (rate: number) => (rate === 1 ? messages.normalSpeed : `${rate}×`)

const speedPage = ({ video }: PlayerState): MenuPage => ({
  title: messages.speed,
  name: 'speed',
  items: SPEEDS.map((rate) => ({
    label: speedName(rate),
    isChosen: video.playbackRate === rate,
    choose: () => {
      video.playbackRate = rate
    },
  })),
})

export function captionsPage(captions: Captions): MenuPage {
  const shown = captions.shown()
  return {
    title: messages.captions,
    name: 'captions',
    items: [
      {
        label: messages.captionsOff,
        isChosen: shown === undefined,
        choose: () => captions.show(null),
      },
      ...captions.tracks().map((track) => ({
        label: track.label,
        ...(track.is_automatic && { detail: messages.automatic }),
        isChosen: shown?.id === track.id,
        choose: () => captions.show(track.id),
      })),
    ],
  }
}
