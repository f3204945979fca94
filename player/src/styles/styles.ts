/** One style sheet, shared by all players of a page. Later files override earlier ones. */
import bar from './bar.css?inline'
import base from './base.css?inline'
import comfort from './comfort.css?inline'
import menus from './menus.css?inline'
import narrow from './narrow.css?inline'
import overlays from './overlays.css?inline'
import timeline from './timeline.css?inline'

export const sheet = new CSSStyleSheet()
sheet.replaceSync([base, bar, timeline, menus, overlays, narrow, comfort].join('\n'))
