import { createRootRoute } from "@tanstack/react-router";
import { CardFailure } from "../ui/states/card-failure.tsx";

export const root = createRootRoute({ errorComponent: CardFailure });
