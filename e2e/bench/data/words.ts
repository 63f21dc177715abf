/** The words of generated people and companies. */

type Words = readonly [string, ...string[]]

const split = (text: string): Words => text.split(' ') as unknown as Words // never empty: `split` returns at least one word

export const FIRST_NAMES = split(
  'Ada Amélie Anna Aisha Beatriz Ben Camille Carlos Chloé Daniel Diego Elena Emma Fatima Felix Grace Hana Hugo Ines Isaac ' +
    'Jack Jana José Julia Kai Karin Lars Laura Leo Lin Luca Maria Marta Mateo Mia Mina Nadia Noah Nora Olga Oscar Paul Priya ' +
    'Rafael Rosa Samir Sara Sven Tariq Tom Uma Vera Victor Wei Yara Yusuf Zoë',
)
export const LAST_NAMES = split(
  'Adeyemi Almeida Andersson Bauer Becker Brown Chen Costa Dubois Evans Fernández Fischer García Gupta Haas Hansen Hughes ' +
    'Ivanova Jansen Johnson Kaur Keller Khan Kim Kowalski Lambert Larsen Li López Martin Meyer Moreau Müller Nakamura Novak ' +
    "O'Brien Okafor Olsen Patel Pérez Quinn Ricci Romero Rossi Santos Sato Schmidt Silva Smith Taylor Torres Vogel Wagner " +
    'Walker Weber Williams Wright Yamamoto Young Zhang',
)
export const COMPANY_WORDS = split(
  'Amber Anchor Apex Arbor Atlas Beacon Birch Blue Bright Cedar Cinder Cobalt Copper Coral Crest Delta Dune Echo Ember Fable ' +
    'Falcon Fern Flint Forge Glacier Granite Harbor Hazel Indigo Iron Juniper Lark Lumen Maple Meadow Nimbus North Oak Onyx ' +
    'Orbit Pine Prism Quartz Raven Ridge River Sable Silver Solar Spruce Stone Summit Tidal Vale Vector Willow Zephyr',
)
export const BUSINESSES = split(
  'Analytics Capital Consulting Dynamics Energy Foods Health Industries Labs Logistics Media Partners Robotics Software ' +
    'Studios Systems Technologies Ventures Works',
)
export const SENIORITIES = ['', 'Senior ', 'Lead ', 'Head of ', 'Director of ', 'VP of '] as const
export const FIELDS = [
  'Engineering',
  'Sales',
  'Marketing',
  'Product',
  'Customer Success',
  'Finance',
  'Operations',
  'People',
  'Design',
  'Data Science',
  'Partnerships',
  'Security',
] as const
export const TOPICS = [
  'met at the spring fair',
  'asked for a demo of reporting',
  'introduced by a customer',
  'runs the evaluation of suppliers',
  'prefers to be called in the morning',
  'subscribed to the newsletter',
  'moved here from the Lisbon office',
  'decides on the budget for next year',
] as const
/** Some of the categories of every new workspace. */
export const CATEGORIES = ['B2B', 'Cloud Services', 'E-commerce', 'Energy', 'Financial Services'] as const

export const LEAD_STATUSES = ['New', 'Contacted', 'Qualified', 'Customer', 'Lost'] as const
export const INDUSTRIES = split(
  'Agriculture Aviation Banking Chemicals Construction Education Entertainment Fashion Fishing Forestry Gaming Gastronomy ' +
    'Government Healthcare Hospitality Insurance Law Logistics Machinery Mining Music Pharmacy Photography Printing ' +
    'Publishing Railways Research Retail Robotics Security Shipping Software Sports Steel Telecommunications Textiles ' +
    'Theatre Tourism Utilities Winemaking',
)
/** The last name of a few people, in workspaces of every size. */
export const RARE_LAST_NAME = 'Quixley'

export interface Place {
  readonly locality: string
  readonly region: string
  readonly postcode: string
  readonly country_code: string
  readonly latitude: string
  readonly longitude: string
  /** The common prefix of phone numbers at this place, without the last seven digits. */
  readonly phone: string
}

const place = (text: string): Place => {
  const [locality = '', region = '', postcode = '', country_code = '', latitude = '', longitude = '', phone = ''] =
    text.split('|')
  return { locality, region, postcode, country_code, latitude, longitude, phone }
}

export const PLACES = [
  place('New York|NY|10001|US|40.7128|-74.006|+1212'),
  place('San Francisco|CA|94105|US|37.7749|-122.4194|+1415'),
  place('Chicago|IL|60601|US|41.8781|-87.6298|+1312'),
  place('Boston|MA|02108|US|42.3601|-71.0589|+1617'),
  place('Toronto|ON|M5H 2N2|CA|43.6532|-79.3832|+1416'),
  place('London|England|EC1A 1BB|GB|51.5072|-0.1276|+44207'),
  place('Paris|Île-de-France|75001|FR|48.8566|2.3522|+3314'),
  place('Berlin|Berlin|10115|DE|52.52|13.405|+49302'),
  place('Madrid|Madrid|28001|ES|40.4168|-3.7038|+3491'),
] as const
