// Follows the applications of a logout, and moves on when each has responded or the time is over.
const WORDS = {
  waiting: 'Signing out…',
  sent: 'Signed out',
  done: 'Signed out',
  failed: 'Not signed out',
}
const loaded = new Set()
// In the capture phase, and before the frames exist: load events do not bubble.
document.addEventListener('load', ({ target }) => loaded.add(target.dataset?.at), true)

document.addEventListener('DOMContentLoaded', () => {
  const list = document.querySelector('[data-path]')
  const { path, seconds } = list.dataset
  const end = Date.now() + seconds * 1000
  const finish = () => location.replace(`${path}/done`)
  const rows = [...list.children]
  const frames = document.querySelector('.frames')
  const hasFrame = (at) => frames.querySelector(`[data-at="${at}"]`)

  /** An application that could not be told directly gets a frame after all. */
  function addFrame(at) {
    const frame = document.createElement('iframe')
    frame.dataset.at = at
    frame.title = 'Sign-out'
    frame.ariaHidden = 'true'
    frame.tabIndex = -1
    frame.sandbox.add('allow-scripts', 'allow-forms', 'allow-same-origin')
    frame.src = `${path}/${at}`
    frames.append(frame)
  }
  // Without a response to wait for, the frame itself must have loaded.
  const isOver = ({ state }, at) =>
    state !== 'waiting' && (state !== 'sent' || loaded.has(String(at)))

  async function look() {
    const parties = await (await fetch(`${path}/states`)).json()
    parties.forEach(({ state, front }, at) => {
      rows[at].lastElementChild.textContent = WORDS[state]
      if (front && state === 'waiting' && !hasFrame(at)) addFrame(at)
    })
    if (Date.now() >= end || parties.every(isOver)) finish()
    else setTimeout(() => look().catch(finish), 250)
  }
  look().catch(finish)
})
