import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { codeOf, OperatorError } from '../server/platform/errors.ts'
import { randomToken, sameSecret } from '../server/platform/secrets.ts'

const PATH = '/ccx/service/customreport2/lab/ISU_Gatehouse/Workers'
const FIRST = ['Ada', 'Beau', 'Chiara', 'Dmitri', 'Émilie', 'Farid', 'Grace', 'Hiroshi', 'Ines']
const LAST = ['Okafor', 'Lindqvist', "O'Brien", 'Nguyen', 'Müller', 'Castellanos', 'Sato']
const JOBS = ['Accountant', 'Engineer', 'Nurse', 'Recruiter', 'Sales Manager', 'Technician']
const PLACES = ['Denver', 'London', 'München', 'Singapore']
const DEPARTMENTS = ['Finance', 'IT', 'Care', 'People', 'Sales']
const NAMESAKES = FIRST.length * LAST.length
const LEADERS = 10

interface LabOptions {
  /** 0: any free port. */
  port?: number
  username?: string
  password?: string
  workers?: number
}

const pick = (list: readonly string[], at: number): string => list[at % list.length]!
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^a-z]/gi, '')
    .toLowerCase()

/** As a report with these columns shows them. Every ninth has left, every fifteenth is a contractor. */
function worker(at: number): Record<string, unknown> {
  const [first, last] = [pick(FIRST, at), pick(LAST, Math.floor(at / FIRST.length))]
  const round = Math.floor(at / NAMESAKES)
  const login = `${plain(first)}.${plain(last)}${round > 0 ? round + 1 : ''}`
  const terminated = at % 9 === 8
  return {
    Employee_ID: String(21_001 + at),
    User_Name: login,
    Legal_Name: `${first} ${last}${terminated ? ' (Terminated)' : ''}`,
    First_Name: first,
    Last_Name: last,
    // Removed when somebody leaves.
    ...(!terminated && { Work_Email: `${login}@lab.example.com` }),
    Business_Title: pick(JOBS, at),
    Cost_Center: `CC${100 + (at % DEPARTMENTS.length)} ${pick(DEPARTMENTS, at)}`,
    Location: { Descriptor: pick(PLACES, at), ID: `LOC-${1 + (at % PLACES.length)}` },
    Worker_Type: at % 15 === 14 ? 'Contingent Worker' : 'Employee',
    Hire_Date: `${2015 + (at % 10)}-${String(1 + (at % 12)).padStart(2, '0')}-01`,
    Active_Status: terminated ? '0' : '1',
    Worker_Status: terminated ? 'Terminated' : 'Active',
    ...(terminated && { Termination_Date: '2026-06-30' }),
    ...(at >= LEADERS && {
      Manager_group: [{ Manager_Employee_ID: String(21_001 + (at % LEADERS)) }],
    }),
  }
}

function isAllowed({ headers }: IncomingMessage, credentials: string): boolean {
  const sent = /^basic (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  return sameSecret(Buffer.from(sent, 'base64').toString(), credentials)
}

const send = (response: ServerResponse, status: number, type: string, body: string) =>
  void response.writeHead(status, { 'content-type': `${type};charset=UTF-8` }).end(body)

/** A report server like Workday's (RaaS), on the loopback interface: no paging, XML unless asked for JSON. */
export async function startWorkdayLab(options: LabOptions = {}) {
  const {
    port = 0,
    username = 'ISU_Gatehouse',
    password = randomToken(12),
    workers = 200,
  } = options
  const entries = Array.from({ length: workers }, (_, at) => worker(at))
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://localhost')
    if (!isAllowed(request, `${username}:${password}`)) {
      response.setHeader('www-authenticate', 'Basic realm="Workday lab"')
      send(response, 401, 'text/html', '<html><body>invalid username or password</body></html>')
    } else if (url.pathname !== PATH || request.method !== 'GET')
      send(response, 404, 'application/json', '{"error":"There is no such report"}')
    else if (url.searchParams.get('format') !== 'json')
      send(response, 200, 'text/xml', '<?xml version="1.0"?><wd:Report_Data xmlns:wd="urn:lab"/>')
    else send(response, 200, 'application/json', JSON.stringify({ Report_Entry: entries }))
  })
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error
    throw new OperatorError(`Port ${port} is in use; choose another with --port`)
  }
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { reportUrl: `${address}${PATH}?format=json`, username, password, entries, close }
}
