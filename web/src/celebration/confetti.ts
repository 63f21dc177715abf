/** Confetti that rises from both lower corners and falls, on a canvas that takes no pointer events and is hidden from screen readers. */

const PIECES_PER_SIDE = 80
const LASTS_S = 2.6
const FADES_S = 0.5
/** In page heights per second squared. */
const GRAVITY = 1.4
const DRAG = 0.9
const COLORS = ['--accent', '--star', '--danger', '--success-text', '--accent-text'] as const
/** A higher resolution is not visible in motion. */
const MOST_PIXELS_PER_POINT = 2

interface Piece {
  readonly color: string
  /** In CSS pixels. */
  readonly size: number
  readonly isRound: boolean
  /** Turns per second, in the plane of the page and about an axis within it. */
  readonly spin: number
  readonly flip: number
  /** In page heights, from the upper left corner. */
  x: number
  y: number
  vx: number
  vy: number
  angle: number
}

let isRunning = false

/** Does nothing while confetti is still falling. */
export function startConfetti(): void {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (isRunning || context === null) return
  isRunning = true
  cover(canvas, context)
  const { innerWidth, innerHeight } = window
  const width = innerWidth / innerHeight
  const pieces = [...piecesFrom(0, 1, width), ...piecesFrom(width, -1, width)]
  const startedAt = performance.now()
  let before = startedAt

  const frame = (now: number) => {
    const age = (now - startedAt) / 1000
    if (age > LASTS_S) {
      canvas.remove()
      isRunning = false
      return
    }
    context.clearRect(0, 0, innerWidth, innerHeight)
    context.globalAlpha = Math.min(1, (LASTS_S - age) / FADES_S)
    // A hidden page gets no frames.
    const step = Math.min(0.05, (now - before) / 1000)
    before = now
    for (const piece of pieces) {
      move(piece, step)
      draw(context, piece, { height: innerHeight, age })
    }
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}

function cover(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D): void {
  const scale = Math.min(MOST_PIXELS_PER_POINT, window.devicePixelRatio)
  canvas.width = window.innerWidth * scale
  canvas.height = window.innerHeight * scale
  context.scale(scale, scale)
  canvas.setAttribute('aria-hidden', 'true')
  Object.assign(canvas.style, {
    position: 'fixed',
    inset: '0',
    width: '100%',
    height: '100%',
    zIndex: '10',
    pointerEvents: 'none',
  })
  document.body.append(canvas)
}

/** Pieces that start at a lower corner, upwards and towards the middle; faster on wide pages, so that both sides meet. */
function piecesFrom(x: number, direction: 1 | -1, width: number): Piece[] {
  const style = getComputedStyle(document.documentElement)
  const colors = COLORS.map((name) => resolved(style.getPropertyValue(name)))
  return Array.from({ length: PIECES_PER_SIDE }, (_, at) => {
    const speed = between(0.9, 2.1)
    const angle = between(0.05, 0.42) * Math.PI
    return {
      color: colors[at % colors.length] ?? 'currentColor',
      size: between(6, 11),
      isRound: at % 4 === 0,
      spin: between(-1.5, 1.5),
      flip: between(0.8, 2.4),
      x,
      y: 1.02,
      vx: direction * Math.sin(angle) * speed * Math.min(1.7, width),
      vy: -Math.cos(angle) * speed,
      angle: Math.random(),
    }
  })
}

/** The tokens use `light-dark()`, which a canvas cannot parse. */
function resolved(color: string): string {
  const probe = document.createElement('span')
  probe.style.color = color
  document.body.append(probe)
  const shown = getComputedStyle(probe).color
  probe.remove()
  return shown
}

function move(piece: Piece, step: number): void {
  const slowed = 1 - DRAG * step
  piece.vx *= slowed
  piece.vy = piece.vy * slowed + GRAVITY * step
  piece.x += piece.vx * step
  piece.y += piece.vy * step
  piece.angle += piece.spin * step
}

function draw(
  context: CanvasRenderingContext2D,
  { x, y, angle, flip, size, isRound, color }: Piece,
  { height, age }: { height: number; age: number },
): void {
  context.save()
  context.translate(x * height, y * height)
  context.rotate(angle * 2 * Math.PI)
  context.scale(1, Math.cos(age * flip * 2 * Math.PI))
  context.fillStyle = color
  context.beginPath()
  if (isRound) context.arc(0, 0, size / 2, 0, 2 * Math.PI)
  else context.rect(-size / 2, -size / 3, size, size * 0.6)
  context.fill()
  context.restore()
}

const between = (least: number, most: number): number => least + Math.random() * (most - least)
