/** Makes an MP4 file with silence, which a browser can play and seek in without codecs of videos. ISO 14496-12; Opus in ISOBMFF. */

const RATE = 48_000
/** One packet of Opus: 20 ms of silence. */
const PACKET = Buffer.from([0xf8, 0xff, 0xfe])
const PACKET_SAMPLES = 960

const u8 = (...values: number[]) => Buffer.from(values)
function u16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16BE(value)
  return buffer
}
function u32(...values: number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => buffer.writeUInt32BE(value, 4 * index))
  return buffer
}
const zeros = (length: number) => Buffer.alloc(length)

function box(type: string, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([u32(8 + content.length), Buffer.from(type), content])
}
/** A box with version and flags. */
const fullBox = (type: string, flags: number, ...contents: Buffer[]) => box(type, u32(flags), ...contents)

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

export function silentVideo(seconds: number): Buffer {
  const packets = Math.ceil((seconds * RATE) / PACKET_SAMPLES)
  const fileType = box('ftyp', Buffer.from('isom'), u32(0x200), Buffer.from('isommp42'))
  const media = box('mdat', ...Array.from({ length: packets }, () => PACKET))
  return Buffer.concat([fileType, media, movie(packets, fileType.length + 8)])
}

/** The packets are one chunk at `offset`. */
function movie(packets: number, offset: number): Buffer {
  const duration = packets * PACKET_SAMPLES
  const header = fullBox(
    'mvhd',
    0,
    u32(0, 0, RATE, duration, 0x10000),
    u16(0x100),
    zeros(10),
    MATRIX,
    zeros(24),
    u32(2),
  )
  const trackHeader = fullBox(
    'tkhd',
    3,
    u32(0, 0, 1, 0, duration),
    zeros(8),
    u32(0),
    u16(0x100),
    zeros(2),
    MATRIX,
    zeros(8),
  )
  const mediaHeader = fullBox('mdhd', 0, u32(0, 0, RATE, duration), u16(0x55c4), zeros(2))
  const handler = fullBox('hdlr', 0, u32(0), Buffer.from('soun'), zeros(12), Buffer.from('sound\0'))
  const location = box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', 1)))
  const table = box(
    'stbl',
    fullBox('stsd', 0, u32(1), opus()),
    fullBox('stts', 0, u32(1, packets, PACKET_SAMPLES)),
    fullBox('stsc', 0, u32(1, 1, packets, 1)),
    fullBox('stsz', 0, u32(PACKET.length, packets)),
    fullBox('stco', 0, u32(1, offset)),
  )
  const information = box('minf', fullBox('smhd', 0, zeros(4)), location, table)
  return box('moov', header, box('trak', trackHeader, box('mdia', mediaHeader, handler, information)))
}

const opus = () =>
  box(
    'Opus',
    zeros(6),
    u16(1),
    zeros(8),
    u16(1),
    u16(16),
    zeros(4),
    u32((RATE * 0x10000) >>> 0),
    box('dOps', u8(0, 1), u16(0), u32(RATE), u16(0), u8(0)),
  )
