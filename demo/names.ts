// Names in the demo data. Addresses are from the documentation ranges (RFC 5737, RFC 3849) and domains end in
// .example (RFC 2606), so nothing here exists.

export interface Place {
  city: string
  offsetHours: number
  /** As in IP databases; becomes `geoip` of events. */
  geoip: {
    country_code: string
    continent_code: string
    region_code: string
    region_name: string
    timezone: string
    latitude: number
    longitude: number
  }
}

const place = (
  city: string,
  offsetHours: number,
  [country_code, continent_code, region_code, region_name]: [string, string, string, string],
  timezone: string,
  [latitude, longitude]: [number, number],
): Place => ({
  city,
  offsetHours,
  geoip: {
    country_code,
    continent_code,
    region_code,
    region_name,
    timezone,
    latitude,
    longitude,
  },
})

export const PLACES = {
  portland: place(
    'Portland',
    -7,
    ['US', 'NA', 'OR', 'Oregon'],
    'America/Los_Angeles',
    [45.5, -122.7],
  ),
  lyon: place('Lyon', 2, ['FR', 'EU', 'ARA', 'Auvergne-Rhône-Alpes'], 'Europe/Paris', [45.8, 4.8]),
  bengaluru: place('Bengaluru', 5.5, ['IN', 'AS', 'KA', 'Karnataka'], 'Asia/Kolkata', [13, 77.6]),
  bristol: place('Bristol', 1, ['GB', 'EU', 'ENG', 'England'], 'Europe/London', [51.5, -2.6]),
  freiburg: place(
    'Freiburg',
    2,
    ['DE', 'EU', 'BW', 'Baden-Württemberg'],
    'Europe/Berlin',
    [48, 7.8],
  ),
  elsewhere: place(
    'São Paulo',
    -3,
    ['BR', 'SA', 'SP', 'São Paulo'],
    'America/Sao_Paulo',
    [-23.5, -46.6],
  ),
} satisfies Record<string, Place>

export const PROVIDER = {
  id: '6774858000de300000000001',
  name: 'Harbourline IT Services',
  domain: 'harbourline.example',
  place: PLACES.bristol,
  officeIp: '192.0.2.10',
}

export interface OrganizationPlan {
  id: string
  name: string
  domain: string
  singleTenant: boolean
  people: number
  systems: number
  sites: { place: Place; officeIp: string; subnet: string; share: number }[]
  departments: string[]
  /** Display labels of its applications, most used first. */
  applications: string[]
}

export const ORGANIZATIONS: OrganizationPlan[] = [
  {
    id: '6774858000de300000000002',
    name: 'Alder & Finch Architects',
    domain: 'alderfinch.example',
    singleTenant: false,
    people: 45,
    systems: 9,
    sites: [{ place: PLACES.bristol, officeIp: '198.51.100.20', subnet: '10.20.1', share: 1 }],
    departments: ['Design', 'Studio Management', 'Surveying'],
    applications: ['Drawing Vault'],
  },
  {
    id: '6774858000de300000000003',
    name: 'Brightwell Clinics',
    domain: 'brightwell.example',
    singleTenant: false,
    people: 60,
    systems: 11,
    sites: [{ place: PLACES.freiburg, officeIp: '198.51.100.40', subnet: '10.30.1', share: 1 }],
    departments: ['Nursing', 'Reception', 'Laboratory', 'Administration'],
    applications: ['Patient Desk', 'Shift Planner'],
  },
  {
    id: '6774858000de300000000004',
    name: 'Kestrel Robotics',
    domain: 'kestrel.example',
    singleTenant: true,
    people: 95,
    systems: 20,
    sites: [
      { place: PLACES.portland, officeIp: '203.0.113.8', subnet: '10.40.1', share: 0.55 },
      { place: PLACES.lyon, officeIp: '203.0.113.72', subnet: '10.40.2', share: 0.25 },
      { place: PLACES.bengaluru, officeIp: '203.0.113.136', subnet: '10.40.3', share: 0.2 },
    ],
    departments: ['Engineering', 'Field Service', 'Sales', 'Finance', 'People'],
    applications: ['Wiki', 'Issue Tracker', 'Expenses'],
  },
]

export const ADMINISTRATORS = [
  { home: 'Kestrel Robotics', firstname: 'Noor', lastname: 'Haddad', roleName: 'Administrator' },
  { home: 'Kestrel Robotics', firstname: 'Pieter', lastname: 'Vos', roleName: 'Read Only' },
  { home: 'Kestrel Robotics', firstname: 'Ines', lastname: 'Ferreira', roleName: 'Command Runner' },
  { home: 'Kestrel Robotics', firstname: 'Tomasz', lastname: 'Zielinski', roleName: 'Help Desk' },
  {
    home: PROVIDER.name,
    firstname: 'Maeve',
    lastname: 'Gallagher',
    roleName: 'Administrator with Billing',
  },
  {
    home: PROVIDER.name,
    firstname: 'Callum',
    lastname: 'Byrne',
    roleName: 'Administrator',
  },
]

export const FIRST_NAMES =
  'Ada Aiko Alba Amara Amir Anna Arjun Astrid Beatriz Bela Bruno Camille Carlos Chiara Chidi Clara Daan Dalia Deniz Diego Elena Elif Emeka Emil Esther Farid Femke Finn Freya Gabriel Giulia Grace Hana Hugo Imani Ivan Jamal Jana Jonas Julia Kai Karim Katya Kofi Lara Leila Lena Liam Lucia Maja Marco Mei Mila Milan Nadia Nia Nils Noah Olga Omar Oscar Paula Petra Priya Rafael Ravi Rosa Ruben Sakura Samir Sanne Sara Selma Sofia Sven Tara Teo Thandi Ugo Uma Vera Viktor Wanda Wei Xenia Yara Yusuf Zara Zoe'.split(
    ' ',
  )

export const LAST_NAMES =
  'Abara Adler Almeida Andersen Bakker Baptiste Barros Becker Bianchi Bondar Brandt Cabrera Castellan Chandra Chen Costa Dahl Danjuma Delgado Demir Dubois Eriksen Esposito Fischer Fontaine Fujita Garcia Gruber Haas Hansen Herrera Hoffmann Ibarra Ito Iyer Jansen Kamara Kaplan Keller Kimura Kovacs Kowalski Lange Larsen Lefevre Lindqvist Lopez Mancini Marek Mbeki Mehta Meyer Molina Moreau Mori Nakamura Navarro Nguyen Novak Nowak Okafor Olsen Ortega Park Patel Pereira Petrov Popescu Quist Rahman Ramos Ricci Rossi Saito Santos Schmid Silva Singh Sorensen Suzuki Takeda Tanaka Torres Ueda Varga Vega Vogel Wagner Weber Winter Yilmaz Zhang Ziegler'.split(
    ' ',
  )
