/** Offers an operation only to people whose role may call it, so that nobody presses what core refuses them. */
import { type ComponentChildren, createContext } from "preact"
import { useContext } from "preact/hooks"
import { type Role, roleRefusal } from "../../../../core/operation/role.ts"
import { catalogue } from "../../../console/operations.ts"

/** The role of whoever is signed in. */
export const OwnRole = createContext<Role>("viewer")

const roles: ReadonlyMap<string, Role> = new Map(catalogue.map(({ name, role }) => [name, role]))

/** Whether who is signed in may call an operation. */
export const useMay = (): ((operation: string) => boolean) => {
  const own = useContext(OwnRole)
  return (operation) => roleRefusal(own, roles.get(operation) ?? "owner") === undefined
}

interface OfferedProps {
  readonly operation: string
  readonly children: ComponentChildren
}

export const Offered = ({ children, operation }: OfferedProps) =>
  useMay()(operation) ? children : null
